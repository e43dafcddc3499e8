"""The site of `clmatch serve` in a real Chromium: it is used as people do, complains about nothing, and asks nobody else.

Screenshots in light, dark and 400 pixels wide are kept in target/screenshots.
"""

import json

import pytest

from conftest import SHOTS, write_blobs
from serving import serving

VIEWS = [("light", 1200, "light"), ("dark", 1200, "dark"), ("narrow", 400, "light")]
LONG = ["Bothrops jararacussu Lacerda, 1884 (adult, from the southern edge of its range)", "x", "<b>&\"quoted\"</b>"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_blobs(folder / "two.csv", [60, 40], 3, 1.0)
    write_blobs(folder / "other.csv", [60, 40], 5, 2.0)
    write_blobs(folder / "names.csv", [50, 30, 40], 4, 1.2, lambda at: LONG[at])
    write_blobs(folder / "long.csv", [2500] * 6, 12, 0.3)
    (folder / "broken.csv").write_text("x,y,label\n1,2,a\n3,4,b\n5,oops,a\n6,7,b\n")
    return folder


@pytest.fixture(scope="module")
def server(files):
    with serving(files / "two.csv", files / "other.csv") as started:
        yield started


def quiet(browser, server):
    """No complaint of the console, and no request beyond the server."""
    assert browser.complaints() == []
    assert [url for url in browser.requests() if not url.startswith(server.url + "/")] == []


def ask(server, path):
    """The page of a job that is done."""
    status, job = server.json("POST", path)
    assert status == 202, job
    while (now := server.json("GET", job["address"])[1])["state"] in ("queued", "running"):
        pass
    assert now["state"] == "done", now
    return now["page"]


PAGES = {
    "home": "/",
    "catalogue": "/catalogue",
    "catalogued": "/catalogue/fashion_mnist",
    "benchmark": "/benchmark",
    "api": "/api",
    "held": "/datasets/file-1",
    "missing": "/nothing/here",
    "scored": "/api/score?dataset=iris&ci=true",
    "report": "/api/report?dataset=iris",
    "improved": "/api/improve?dataset=wine&budget=3",
    "ranked": "/api/rank?datasets=file-1,file-2,iris,wine,moons",
    "compared": "/api/compare?datasets=file-1,file-2",
    "picked": "/api/pick?count=5",
    "stability": "/api/stability?datasets=iris,wine,seeds,har,dry_bean,letter_recognition,ecoli,fashion_mnist",
}


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_is_quiet_light_dark_and_narrow(browser, axe, server, kind):
    SHOTS.mkdir(parents=True, exist_ok=True)
    path = PAGES[kind]
    path = ask(server, path) if path.startswith("/api/") else path
    for view, width, scheme in VIEWS:
        browser.open(server.url + path, width=width, scheme=scheme)
        browser.screenshot(SHOTS / f"site-{kind}-{view}.png")
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
        if kind != "missing":
            # A page that is not there is a complaint in itself.
            quiet(browser, server)
        browser.run(axe)
        found = browser.evaluate("axe.run().then(r => JSON.stringify(r.violations.map(v => [v.id, v.help, v.nodes[0].html])))")
        assert json.loads(found) == [], f"{view}: {found}"


def test_a_file_is_sent_scored_explained_and_improved(browser, server, files):
    browser.open(server.url + "/")
    browser.choose_file("#file", files / "names.csv")
    browser.wait_until("location.pathname.startsWith('/jobs/')")
    browser.wait_until("document.querySelector('h1')?.textContent === 'names'")
    assert browser.evaluate("document.querySelector('.verdict') !== null")
    browser.screenshot(SHOTS / "site-uploaded.png")
    quiet(browser, server)
    scored = browser.evaluate("location.pathname")
    browser.evaluate("document.querySelector('button[data-job=report]').click()")
    browser.wait_until(f"location.pathname.startsWith('/jobs/') && location.pathname !== '{scored}'")
    browser.wait_until("document.querySelector('#class-table tbody') !== null")
    assert browser.evaluate("document.querySelector('#class-table tbody').innerText.includes('<b>&\"quoted\"</b>')")
    assert browser.evaluate("document.querySelectorAll('#class-table b').length") == 0
    # The script of reports works within the site.
    browser.evaluate(
        "(() => { const s = document.getElementById('class-choice'); s.value = '1'; s.dispatchEvent(new Event('change')); })()"
    )
    assert browser.evaluate("document.querySelectorAll('.groups path.out').length") == 2
    explained = browser.evaluate("location.pathname")
    browser.evaluate("document.querySelector('button[data-job=improve]').click()")
    browser.wait_until(f"location.pathname.startsWith('/jobs/') && location.pathname !== '{explained}'")
    browser.wait_until("document.querySelector('#features') !== null")
    quiet(browser, server)


def test_a_dropped_file_is_scored(browser, server):
    browser.open(server.url + "/")
    browser.evaluate(
        "(() => { const data = new DataTransfer();"
        " const rows = [...Array(40).keys()].map(i => `${i % 7},${Math.floor(i / 20) * 9 + i % 3},${i < 20 ? 'a' : 'b'}`);"
        " data.items.add(new File([['x,y,label', ...rows].join('\\n')], 'dropped.csv'));"
        " document.getElementById('drop').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})); })()"
    )
    browser.wait_until("document.querySelector('h1')?.textContent === 'dropped'")
    quiet(browser, server)


def refused(browser, server):
    """Sends a table with text and waits until it is refused on the first page."""
    rows = "".join(f"{at % 7},{'red' if at % 2 else 'blue'},{at // 20 * 9 + at % 3},{'ab'[at // 20]}\\n" for at in range(40))
    browser.open(server.url + "/")
    browser.evaluate(
        "(() => { const data = new DataTransfer();"
        f" data.items.add(new File(['x,colour,y,class\\n{rows}'], 'colours.csv'));"
        " document.getElementById('drop').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})); })()"
    )
    browser.wait_until("!document.getElementById('job-settings').hidden")


def test_a_refused_file_is_listed_and_scored_with_the_settings_that_it_needs(browser, server):
    refused(browser, server)
    browser.screenshot(SHOTS / "site-refused.png", whole=False)
    roles = browser.evaluate("document.getElementById('job-roles').innerText")
    assert roles.startswith("label: class") and "indicators: colour" in roles and "mixed" in roles, roles
    browser.wait_until("document.querySelector('#datasets tbody').innerText.includes('colours.csv')")
    assert browser.evaluate("document.activeElement.id") == "job-cancel"
    browser.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))")
    assert browser.evaluate("document.getElementById('job').hidden")
    refused(browser, server)
    browser.evaluate("document.getElementById('job-settings').click()")
    browser.wait_until("document.querySelector('h1')?.textContent === 'colours'")
    quiet(browser, server)


def test_roles_are_chosen_and_set_the_options(browser, server):
    refused(browser, server)
    held = "document.querySelector('#datasets tbody a[href*=upload]')"
    browser.wait_until(f"{held} !== null")
    browser.evaluate(f"{held}.click()")
    browser.wait_until("document.querySelector('#columns-table tbody tr') !== null")
    assert browser.evaluate("document.querySelector('[name=mixed]').checked"), "what the file needs is filled in"
    assert "filled in" in browser.evaluate("document.getElementById('columns-state').textContent")
    browser.screenshot(SHOTS / "site-columns.png")
    rows = browser.evaluate("[...document.querySelectorAll('#rows-table tr')].map(r => [...r.cells].map(c => c.innerText).join(' '))")
    assert rows[:3] == ["x colour y class", "feature indicators feature label", "0 blue 0 a"] and len(rows) == 10, rows
    assert browser.evaluate("document.querySelector('#rows-table th:last-child').dataset.role") == "label"
    assert "indicator columns" in browser.evaluate("document.getElementById('columns-notes').innerText")
    browser.open(browser.evaluate("location.href"), width=360)
    browser.wait_until("document.querySelector('#rows-table tbody tr') !== null")
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the preview scrolls within its box"
    browser.open(browser.evaluate("location.href"))
    browser.wait_until("document.querySelector('#columns-table tbody tr') !== null")
    browser.evaluate(
        "(() => { const s = document.getElementById('role-0'); s.value = 'left-out'; s.dispatchEvent(new Event('change')); })()"
    )
    browser.wait_until("document.querySelector('[name=drop]').value === 'x'")
    browser.wait_until("!document.getElementById('columns-state').textContent.includes('filled in')")
    assert browser.evaluate("document.getElementById('role-0').value") == "left-out"
    browser.evaluate("document.querySelector('button[data-job=score]').click()")
    browser.wait_until("document.querySelector('h1')?.textContent === 'colours'")
    quiet(browser, server)


def test_a_broken_file_is_explained_and_the_page_goes_on(browser, server, files):
    browser.open(server.url + "/")
    browser.choose_file("#file", files / "broken.csv")
    browser.wait_until("!document.getElementById('job-problem').hidden")
    said = browser.evaluate("document.getElementById('job-problem').textContent")
    assert "oops" in said and "line 4" in said, said
    browser.screenshot(SHOTS / "site-broken.png", whole=False)
    browser.evaluate("document.getElementById('job-cancel').click()")
    assert browser.evaluate("document.getElementById('job').hidden")
    quiet(browser, server)


def test_work_is_cancelled(browser, server, files):
    browser.open(server.url + "/")
    browser.choose_file("#file", files / "long.csv")
    browser.wait_until("document.getElementById('job-state').textContent !== ''")
    browser.wait_until("document.querySelector('h1').textContent !== 'Datasets' || !document.getElementById('job').hidden")
    # Of the page of the dataset, whose report takes long enough.
    browser.wait_until("location.pathname.startsWith('/jobs/')")
    browser.wait_until("document.querySelector('button[data-job=report]') !== null")
    browser.evaluate("document.querySelector('button[data-job=report]').click()")
    browser.wait_until("!document.getElementById('job').hidden")
    browser.screenshot(SHOTS / "site-working.png", whole=False)
    browser.wait_until("document.getElementById('job-title').textContent.startsWith('report')")
    browser.evaluate("document.getElementById('job-cancel').click()")
    browser.wait_until("document.getElementById('job-problem').textContent === 'Cancelled.'")
    assert server.json("GET", "/api/jobs")[1][0]["state"] == "cancelled"
    quiet(browser, server)


def test_datasets_are_chosen_ranked_and_compared(browser, server):
    browser.open(server.url + "/")
    rank, compare = "button[data-job=rank]", "button[data-job=compare]"
    assert browser.evaluate(f"document.querySelector('{rank}').disabled")
    choose = "document.querySelector('input[name=dataset][value={}]').click()"
    browser.evaluate(choose.format("file-1"))
    assert not browser.evaluate(f"document.querySelector('{rank}').disabled")
    assert browser.evaluate(f"document.querySelector('{compare}').disabled")
    browser.evaluate(choose.format("file-2"))
    assert browser.evaluate("document.getElementById('chosen').value") == "2 chosen"
    browser.evaluate(f"document.querySelector('{compare}').click()")
    browser.wait_until("document.querySelector('h1')?.textContent === '2 representations compared'")
    browser.open(server.url + "/")
    browser.evaluate("document.getElementById('choose-all').click()")
    browser.evaluate(f"document.querySelector('{rank}').click()")
    browser.wait_until("document.querySelector('h1')?.textContent.endsWith('datasets ranked')")
    assert browser.evaluate("document.querySelectorAll('#dataset-table a').length") >= 10
    quiet(browser, server)


def test_the_catalogue_is_sorted_filtered_brushed_and_followed(browser, server):
    browser.open(server.url + "/catalogue")
    rows = "[...document.querySelectorAll('#dataset-table tbody tr')].filter(r => !r.hidden)"
    browser.evaluate("document.querySelectorAll('#dataset-table th button')[2].click()")
    points = browser.evaluate(f"{rows}.map(r => Number(r.cells[2].dataset.key))")
    assert points == sorted(points, reverse=True) and len(points) == 92
    put = "((id, value) => { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event('input')); })"
    browser.evaluate(f"{put}('search', 'mnist')")
    assert 0 < browser.evaluate(f"{rows}.length") < 10
    browser.evaluate(f"{put}('search', '')")
    left, top, width, height = browser.place(".brush .swarm")
    browser.drag((left + 0.7 * width, top + height / 2), (left + 0.9 * width, top + height / 2))
    assert 0 < browser.evaluate(f"{rows}.length") < 92
    browser.evaluate("document.querySelector('#dataset-table tbody tr:not([hidden]) a').click()")
    browser.wait_until("location.pathname.startsWith('/catalogue/')")
    assert "github.com/hj-n/labeled-datasets" in browser.evaluate("document.body.innerText")
    quiet(browser, server)


def test_a_benchmark_is_chosen(browser, server):
    browser.open(server.url + "/benchmark")
    browser.evaluate("document.querySelector('form[data-job=stability] button').click()")
    browser.wait_until("location.pathname.startsWith('/jobs/')")
    browser.wait_until("document.querySelector('h1')?.textContent === 'Would the ranking of techniques hold?'")
    browser.open(server.url + "/benchmark")
    browser.evaluate("(() => { document.getElementById('pick-count').value = '4'; })()")
    browser.evaluate("document.querySelector('form[data-job=pick] button').click()")
    browser.wait_until("document.querySelector('h1')?.textContent === '4 datasets for a benchmark'")
    quiet(browser, server)
