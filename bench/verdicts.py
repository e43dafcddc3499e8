"""How often verdicts are wrong on planted data: classes of known shapes, whole or with a part that lies apart.

    python bench/verdicts.py target/release/clmatch [--seed 1] [--draws 2]

Three classes far from each other, so that every score is near 1; the first one is one cluster, or has a second part. "gap" parts have
five deviations of empty space between them, "centres" have centres five deviations apart, so that their tails may touch. A dataset
with such a part must not be called fit, one without should be. Needs NumPy.
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import subprocess
import tempfile

import numpy as np

SHAPES = ["gauss", "uniform", "skewed", "elongated", "ring", "crescent", "correlated", "t5"]
SIZES = [40, 60, 100, 200, 400, 1000]
FEATURES = [2, 3, 5, 10, 30]
SHARES = [0.1, 0.25, 0.5]
APART = 5.0


def cluster(shape: str, points: int, features: int, random: np.random.Generator) -> np.ndarray:
    """One cluster."""
    rows = random.standard_normal((points, features))
    if shape == "uniform":
        rows = random.uniform(-np.sqrt(3), np.sqrt(3), (points, features))
    elif shape == "skewed":
        rows = random.exponential(1.0, (points, features))
    elif shape == "elongated":
        rows[:, 0] *= 5
    elif shape in ("ring", "crescent"):
        angles = random.uniform(0, 2 * np.pi if shape == "ring" else np.pi, points)
        rows = 0.2 * rows
        rows[:, :2] += 2 * np.column_stack([np.cos(angles), np.sin(angles)])
    elif shape == "correlated":
        rows = rows @ random.standard_normal((features, features))
    elif shape == "t5":
        rows /= np.sqrt(random.chisquare(5, (points, 1)) / 5)
    return rows


def direction(features: int, random: np.random.Generator) -> np.ndarray:
    found = random.standard_normal(features)
    return found / np.linalg.norm(found)


def split(kind: str, shape: str, points: int, features: int, share: float, random: np.random.Generator) -> np.ndarray:
    """A class in two parts."""
    small = max(round(share * points), 1)
    one, other = cluster(shape, points - small, features, random), cluster(shape, small, features, random)
    along = direction(features, random)
    deviation = np.sqrt(one.var(axis=0).mean())
    if kind == "centres":
        other = other - other.mean(axis=0) + one.mean(axis=0) + APART * deviation * along
    else:
        other = other + ((one @ along).max() - (other @ along).min() + APART * deviation) * along
    return np.vstack([one, other])


def dataset(first: np.ndarray, shape: str, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The first class, and two others far away."""
    points, features = first.shape
    reach = np.abs(first - first.mean(axis=0)).max() * np.sqrt(features)
    classes = [first]
    for at in (1, 2):
        other = cluster(shape, points, features, random)
        away = 2 * reach + 2 * np.abs(other).max() * np.sqrt(features)
        classes.append(other + away * at * direction(features, random))
    return np.vstack(classes), np.repeat(np.arange(3), [len(one) for one in classes])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", help="the clmatch program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=2, help="of each setting")
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    counts: dict[tuple[str, str], collections.Counter[str]] = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        settings = {}
        for points in SIZES:
            for features in FEATURES:
                for shape in SHAPES:
                    kinds = [("one cluster", 0.0)] * 3 + [(kind, share) for kind in ("gap", "centres") for share in SHARES]
                    for kind, share in kinds * options.draws:
                        if kind == "one cluster":
                            first = cluster(shape, points, features, random)
                        else:
                            first = split(kind, shape, points, features, share, random)
                        rows, labels = dataset(first, shape, random)
                        name = f"d{len(settings)}"
                        settings[name] = (kind, shape, points, features, share)
                        np.savez(pathlib.Path(folder) / f"{name}.npz", x=rows, y=labels)
        command = [options.command, "rank", folder, "--measures", "clm", "--format", "json", "--quiet"]
        found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    for one in found:
        kind, shape, points, features, share = settings[one["dataset"]]
        decision = one["verdict"]["decision"]
        parts = ["all", f"{points} points", f"{features} features", shape] + ([f"{share:.0%} apart"] if share else [])
        for part in parts:
            counts[kind, part][decision] += 1
    decisions = ["fit", "fit-after-change", "not-fit", "cannot-be-said"]
    print("| first class | of these | datasets | " + " | ".join(decisions) + " |")
    print("|---|---|---:|" + "---:|" * len(decisions))
    for (kind, part), of in sorted(counts.items(), key=lambda item: (item[0][0], item[0][1] != "all")):
        shares = [f"{of[decision] / of.total():.1%}" for decision in decisions]
        print(f"| {kind} | {part} | {of.total()} | " + " | ".join(shares) + " |")


if __name__ == "__main__":
    main()
