"""Pages in a real Chromium: they are sorted, filtered and brushed, ask for nothing, complain about nothing, and can be used by everyone.

Screenshots in light, dark and 400 pixels wide are kept in target/screenshots.
"""

import base64
import json
import subprocess

import pytest

from conftest import COMMAND, LIMIT, ROOT, SHOTS, write_blobs

# What a page may weigh.
LARGEST = 2_000_000


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """All kinds of pages, made by the command."""
    folder = tmp_path_factory.mktemp("pages")
    long = ["Bothrops jararacussu Lacerda, 1884 (adult, from the southern edge of its range)", "x", "<b>&\"quoted\"</b>"]
    data = {
        "ten": write_blobs(folder / "ten.csv", [5, 5], 1, 3.0),
        "two": write_blobs(folder / "two.csv", [60, 40], 3, 1.0),
        "names": write_blobs(folder / "names.csv", [50, 30, 40], 4, 1.2, lambda at: long[at]),
        "forty": write_blobs(folder / "forty.csv", [25] * 40, 6, 3.0),
        "hundreds": write_blobs(folder / "hundreds.csv", [7] * 300, 5, 6.0),
    }
    asked = {name: [str(path), "--null", "19"] for name, path in data.items()}
    asked["iris"] = ["iris"]
    asked["catalogue"] = ["--catalogue"]
    asked["several"] = [str(data["two"]), str(data["names"]), "iris", "wine"]
    asked["truth"] = [str(ROOT / "lab" / "results" / "truth.csv")]
    asked["lab"] = [str(ROOT / "lab" / "results")]
    stability = [COMMAND, "stability", asked["truth"][0], "--format", "json", "-o", str(folder / "stability.json")]
    assert subprocess.run(stability, capture_output=True, check=False, timeout=LIMIT).returncode == 0
    asked["stability"] = [str(folder / "stability.json")]
    made = {}
    for name, words in asked.items():
        made[name] = folder / f"{name}.html"
        command = [COMMAND, "report", *words, "-o", str(made[name]), "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
        assert done.returncode == 0, done.stderr
    demo = [COMMAND, "demo", "--report", str(folder / "demo.html")]
    assert subprocess.run(demo, capture_output=True, check=False, timeout=LIMIT).returncode == 0
    made["demo"] = folder / "demo.html"
    return made


KINDS = [
    "ten", "two", "names", "forty", "hundreds", "iris", "catalogue", "several", "truth", "stability", "lab", "demo",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_is_quiet_light_dark_and_narrow(browser, axe, pages, kind):
    SHOTS.mkdir(parents=True, exist_ok=True)
    assert pages[kind].stat().st_size < LARGEST
    for view, width, scheme in [("light", 1200, "light"), ("dark", 1200, "dark"), ("narrow", 400, "light")]:
        browser.open(pages[kind], width=width, scheme=scheme)
        browser.screenshot(SHOTS / f"{kind}-{view}.png")
        # Nothing sticks out: what is wider than the page scrolls within it.
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
        browser.run(axe)
        found = browser.evaluate("axe.run().then(r => JSON.stringify(r.violations.map(v => [v.id, v.help, v.nodes[0].html])))")
        assert json.loads(found) == [], f"{view}: {found}"
        assert browser.complaints() == []
        assert browser.requests() == []


def shown(browser):
    """The names in the rows that are seen, from top to bottom."""
    rows = "[...document.querySelectorAll('#dataset-table tbody tr')].filter(r => !r.hidden)"
    return browser.evaluate(f"{rows}.map(r => r.cells[1].textContent)")


def test_datasets_are_sorted(browser, pages):
    browser.open(pages["catalogue"])
    first = shown(browser)
    press = "(at => document.querySelectorAll('#dataset-table th button')[at].click())"
    browser.evaluate(f"{press}(2)")
    column = "[...document.querySelectorAll('#dataset-table tbody tr')].map(r => Number(r.cells[2].dataset.key))"
    points = browser.evaluate(column)
    assert points == sorted(points, reverse=True) and len(set(points)) > 50
    browser.evaluate(f"{press}(2)")
    assert browser.evaluate(column) == sorted(points)
    assert browser.evaluate("document.querySelectorAll('#dataset-table th')[2].getAttribute('aria-sort')") == "ascending"
    browser.evaluate(f"{press}(0)")
    assert shown(browser) == first
    assert browser.complaints() == []


def test_datasets_are_searched_and_filtered(browser, pages):
    browser.open(pages["catalogue"])
    everything = shown(browser)
    put = "((id, value) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event('input')); })"
    browser.evaluate(f"{put}('search', 'MNIST')")
    found = shown(browser)
    assert found and all("mnist" in name for name in found)
    assert browser.evaluate("document.getElementById('shown').value") == f"{len(found)} of {len(everything)} datasets"
    browser.evaluate(f"{put}('search', 'no such dataset')")
    assert shown(browser) == [] and not browser.evaluate("document.getElementById('nothing').hidden")
    browser.evaluate("document.querySelector('#filters button[type=reset]').click()")
    browser.evaluate("new Promise(done => setTimeout(done, 50))")
    assert shown(browser) == everything
    # All datasets with two classes: the first step of the slider.
    browser.evaluate(f"{put}('classes-high', '0')")
    classes = "[...document.querySelectorAll('#dataset-table tbody tr')].filter(r => !r.hidden).map(r => r.cells[4].textContent)"
    assert set(browser.evaluate(classes)) == {"2"}
    # Handles push each other.
    browser.evaluate(f"{put}('classes-low', '3')")
    assert browser.evaluate("document.getElementById('classes-high').value") == "3"
    assert browser.complaints() == []


def test_the_strip_is_brushed(browser, pages):
    browser.open(pages["catalogue"])
    everything = shown(browser)
    left, top, width, height = browser.place(".brush .swarm")
    browser.drag((left + 0.5 * width, top + 0.6 * height), (left + 0.99 * width, top + 0.6 * height))
    kept = shown(browser)
    assert 0 < len(kept) < len(everything) and kept == everything[: len(kept)]
    scores = "[...document.querySelectorAll('#dataset-table tbody tr')].filter(r => !r.hidden).map(r => Number(r.cells[6].dataset.key))"
    assert min(browser.evaluate(scores)) >= 0.49
    assert browser.evaluate("document.querySelectorAll('.swarm .dot:not(.out)').length") == len(kept)
    assert browser.evaluate("document.querySelector('.brushed').getAttribute('visibility')") == "visible"
    left, top, width, height = browser.place(".brush .swarm")
    browser.click(left + 0.3 * width, top + 0.6 * height)
    assert shown(browser) == everything
    assert browser.complaints() == []


def test_rows_can_be_taken_along(browser, pages):
    browser.open(pages["catalogue"])
    links = browser.evaluate("[...document.querySelectorAll('.downloads a')].map(a => a.href)")
    csv, rows = (base64.b64decode(link.split("base64,")[1]).decode() for link in links)
    assert csv.startswith("rank,dataset,points,features,classes,third,verdict,clm,")
    assert len(csv.splitlines()) - 1 == len(json.loads(rows)) == len(shown(browser))


def test_pairs_are_chosen_by_cell_and_by_list(browser, pages):
    browser.open(pages["forty"])
    title = "document.querySelector('#pair-panel .pair-title').innerText.replace(/\\s+/g, ' ')"
    left, top, width, height = browser.place('.heatmap [data-pair="3,9"]')
    browser.click(left + width / 2, top + height / 2)
    # Classes stand in the order of their names: class 1, class 10, class 11, class 12, ...
    shown = browser.evaluate(title), browser.evaluate("document.getElementById('heat-hint').textContent")
    assert shown[0] == "class 12 and class 18" or shown[1].startswith("class 12 | class 18"), shown
    browser.evaluate(
        "(() => { const s = document.getElementById('pair-choice'); s.selectedIndex = 7;"
        " s.dispatchEvent(new Event('change')); })()"
    )
    chosen = browser.evaluate("document.getElementById('pair-choice').selectedOptions[0].textContent")
    a, b = browser.evaluate(title).split(" and ")
    assert chosen.startswith(f"{a} | {b} ("), chosen
    assert browser.evaluate("document.querySelectorAll('#pair-panel .pair-scatter').length") == 1
    assert browser.complaints() == []


def test_of_hundreds_of_classes_every_pair_is_named(browser, pages):
    browser.open(pages["hundreds"])
    left, top, width, height = browser.place(".heatmap")
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=left + 0.3 * width, y=top + 0.6 * height)
    hint = browser.evaluate("document.getElementById('heat-hint').textContent")
    assert hint.startswith("class ") and ": clm " in hint, hint


def test_a_class_is_highlighted(browser, pages):
    browser.open(pages["iris"])
    browser.evaluate(
        "(() => { const s = document.getElementById('class-choice'); s.value = '1'; s.dispatchEvent(new Event('change')); })()"
    )
    assert browser.evaluate("[...document.querySelectorAll('.groups path.out')].map(p => p.dataset.class)") == ["0", "2"]


def test_a_page_is_printed(browser, pages):
    browser.open(pages["iris"])
    assert browser.pdf().startswith(b"%PDF")


def test_hostile_names_are_shown_as_they_are(browser, pages):
    browser.open(pages["names"])
    assert browser.evaluate("document.querySelector('#class-table tbody').innerText.includes('<b>&\"quoted\"</b>')")
    assert browser.evaluate("document.querySelectorAll('#class-table b').length") == 0
