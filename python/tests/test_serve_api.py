"""The API of `clmatch serve`: results are those of the command, and every answer is as the description says."""

import json
import subprocess
import urllib.parse

import jsonschema
import pytest

from conftest import COMMAND, LIMIT, ROOT, blobs
from serving import serving

SCHEMAS = {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in (ROOT / "crates" / "clmatch-serve" / "schemas").glob("*.json")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    for name, seed, spread in [("near", 1, 0.4), ("apart", 1, 3.0)]:
        points, labels = blobs(seed, 3, 12, 4, spread)
        rows = [",".join([*map(str, row), f"c{label}"]) for row, label in zip(points, labels)]
        (folder / f"{name}.csv").write_text("\n".join(["a,b,c,d,label", *rows]) + "\n")
    return folder


@pytest.fixture(scope="module")
def server(folder):
    with serving(folder / "apart.csv", folder / "near.csv", "iris") as started:
        yield started


def validate(value, name):
    for thing in value if isinstance(value, list) else [value]:
        assert thing["schema"] == SCHEMAS[name]["$id"]
        jsonschema.Draft202012Validator(SCHEMAS[name]).validate(thing)


def printed(*words):
    command = [COMMAND, *map(str, words), "--format", "json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("asked", "words", "schema"),
    [
        ("score?dataset=file-2&measures=all&ci=true&null=20", ["score", "near.csv", "--measures", "all", "--ci", "--null", "20"], "score"),
        ("score?dataset=file-2&scale=standard&drop=a", ["score", "near.csv", "--scale", "standard", "--drop", "a"], "score"),
        ("inspect?dataset=file-2&scale=standard", ["inspect", "near.csv", "--scale", "standard"], "inspect"),
        ("explain?dataset=file-2&seed=3", ["explain", "near.csv", "--seed", "3"], "explain"),
        ("rank?datasets=file-1,file-2,iris&by=sc_a", ["rank", "apart.csv", "near.csv", "iris", "--by", "sc_a"], "score"),
        ("pick?count=4&seed=2", ["pick", "--count", "4", "--seed", "2"], "pick"),
    ],
)  # fmt: skip
def test_results_are_those_of_the_command(server, folder, asked, words, schema):
    status, found = server.json("POST", f"/api/{asked}&wait=120")
    assert status == 200, found
    validate(found, schema)
    words = [folder / word if word.endswith(".csv") else word for word in words]
    assert found == printed(*words)


def test_compare_improve_and_stability_have_their_shapes(server):
    status, found = server.json("POST", "/api/compare?datasets=file-1,file-2&wait=120")
    assert status == 200, found
    validate(found, "compare")
    assert [one["name"] for one in found["representations"]] == ["apart", "near"]
    status, found = server.json("POST", "/api/improve?dataset=file-2&budget=2&wait=120")
    assert status == 200, found
    validate(found, "improve")
    names = ",".join(one["dataset"] for one in server.json("GET", "/api/catalogue?top=12")[1])
    status, found = server.json("POST", f"/api/stability?datasets={names}&wait=120")
    assert status == 200, found
    validate(found, "stability")
    assert (found["size"], found["sets"][0]["datasets"]) == (6, 12)


def test_lists_and_jobs_have_their_shapes(server):
    validate(server.json("GET", "/api/catalogue")[1], "score")
    assert server.json("GET", "/api/catalogue")[1] == printed("catalogue")
    assert server.json("GET", "/api/measures")[1] == printed("measures")
    validate(server.json("GET", "/api/datasets")[1], "dataset")
    status, job = server.json("POST", "/api/score?dataset=iris")
    assert status == 202
    validate(job, "job")
    for wrong in ["/api/nothing", "/api/jobs/77777", "/api/datasets/none"]:
        status, problem = server.json("GET", wrong)
        assert status == 404
        validate(problem, "problem")


def test_embedded_datasets_that_are_given_are_listed_once(server):
    listed = server.json("GET", "/api/datasets")[1]
    assert [one["dataset"] for one in listed].count("iris") == 1
    assert [(one["name"], one["origin"]) for one in listed[:2]] == [("apart", "given"), ("near", "given")]


def test_the_description_holds_for_examples_made_from_it(server):
    """Requests that schemathesis makes from the description: no answer with 500, and every body as it is described."""
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import response_schema_conformance

    api = schemathesis.openapi.from_url(server.url + "/api/openapi.json")
    quick = settings(
        max_examples=8, deadline=None, derandomize=True, database=None,
        phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    count = 0
    for found in api.get_all_operations():
        operation = found.ok()
        # What takes long is not waited for; the schemas of results are tested above.
        if operation.path in ("/api/report", "/api/improve"):
            continue

        @quick
        @given(case=operation.as_strategy())
        def check(case):
            if case.query:
                case.query.pop("wait", None)
            response = case.call(base_url=server.url, timeout=LIMIT)
            case.validate_response(response, checks=[not_a_server_error, response_schema_conformance])

        check()
        count += 1
    assert count >= 14


def test_a_server_with_a_token_asks_for_it():
    with serving("--host", "127.0.0.1") as server:
        address = urllib.parse.urlsplit(server.url)
        token = urllib.parse.parse_qs(address.query)["token"][0]
        server.url = f"http://{address.netloc}"
        assert server.ask("GET", "/")[0] == 401
        assert server.ask("GET", f"/?token={token}x")[0] == 401
        assert len(token) == 32


def test_what_cannot_be_served_is_said(folder):
    with serving() as server:
        port = server.url.rsplit(":", 1)[1]
        taken = subprocess.run([COMMAND, "serve", "--port", port], capture_output=True, text=True, check=False, timeout=LIMIT)
        assert taken.returncode == 4 and "cannot listen on" in taken.stderr and "--port" in taken.stderr
    missing = subprocess.run([COMMAND, "serve", str(folder / "none.csv")], capture_output=True, text=True, check=False, timeout=LIMIT)
    assert missing.returncode == 3 and "none.csv" in missing.stderr
