"""What slow peers say of certain data: computed once, and kept in `peers/*.json` with the versions of the peers.

A kept value is used for the same peer, settings and data, down to the last bit of them; otherwise the peer is asked. `CLMATCH_PEERS=1`
(`cargo xtask test --peers`) asks every peer again, and what it says must be what is kept. `CLMATCH_PEERS=write` asks and keeps:

    CLMATCH_PEERS=write python -m pytest python/tests/test_classifiers.py python/tests/test_mislabelled.py \
        python/tests/test_clustering.py python/tests/test_torture.py
"""

import atexit
import functools
import importlib.metadata
import json
import os
import pathlib
import zlib

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent / "peers"
ASK = os.environ.get("CLMATCH_PEERS", "")
# What a peer says differs from what is kept by at most this, if processors round differently.
TOLERANCE = 1e-6


@functools.cache
def kept(peer):
    """What a peer has said, by what it was asked, and the versions of its packages."""
    path = FOLDER / f"{peer}.json"
    return json.loads(path.read_text()) if path.is_file() else {"versions": {}, "said": {}}


def write(peer, packages):
    answers = kept(peer)
    answers["versions"] = {package: importlib.metadata.version(package) for package in packages}
    answers["said"] = dict(sorted(answers["said"].items()))
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{peer}.json").write_text(json.dumps(answers, indent=0) + "\n")


def same(a, b):
    """Whether two answers, numbers or tables of them, are the same but for rounding."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return a == b or (np.isnan(a) and np.isnan(b)) or abs(a - b) <= TOLERANCE * max(1.0, abs(a))


def said(peer, packages, question, arrays, ask):
    """What a peer says: a number, or numbers by name. `packages` are what it consists of, `question` its settings."""
    data = "-".join(f"{zlib.crc32(np.ascontiguousarray(array).tobytes()):08x}" for array in arrays)
    key = f"{question} {data}"
    answers = kept(peer)["said"]
    if not ASK and key in answers:
        return answers[key]
    answer = ask()
    answer = {name: float(value) for name, value in answer.items()} if isinstance(answer, dict) else float(answer)
    if ASK == "write":
        answers[key] = answer
        keep(peer, tuple(packages))
    elif ASK:
        assert key in answers, f"{peer} was never asked: {key}"
        assert same(answer, answers[key]), f"{key}: {peer} says {answer}, and said {answers[key]}"
    return answer


@functools.cache
def keep(peer, packages):
    """Keeps at the end what a peer has said."""
    atexit.register(write, peer, packages)
