"""The Python package: figures."""

import subprocess
import sys

import anndata
import clmatch
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.decomposition import PCA

mpl.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

DISPLAYS = [clmatch.PairMatrixDisplay, clmatch.SilhouetteDisplay, clmatch.CatalogueDisplay]


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def many(classes, name="class {}"):
    points, labels = make_blobs(classes * 12, centers=classes, n_features=3, random_state=1)
    return points, np.array([name.format(at) for at in range(classes)])[labels]


def inside(display):
    """Whether no text of the figure is cut off at its edge."""
    display.figure_.canvas.draw()
    box, (width, height) = display.figure_.get_tightbbox(), display.figure_.get_size_inches()
    return box.x0 > -0.01 and box.y0 > -0.01 and box.x1 < width + 0.01 and box.y1 < height + 0.01


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: display.__name__)
def test_figures_are_drawn_into_new_axes_or_given_ones(display, iris):
    made = display.from_labels(*iris)
    assert isinstance(made, display) and made.figure_ is made.ax_.figure
    figure, ax = plt.subplots()
    assert display.from_labels(*iris, ax=ax).ax_ is ax
    again = made.plot(ax=ax)
    assert again is made and made.ax_ is ax and made.figure_ is figure


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: display.__name__)
@pytest.mark.parametrize("classes", [2, 10, 40])
def test_names_fit_into_the_figure(display, classes):
    for name in ["{}", "a class with a very long name, number {}, that goes on and on"]:
        made = display.from_labels(*many(classes, name))
        assert inside(made)
        if display is not clmatch.CatalogueDisplay:
            assert len(made.ax_.get_yticks()) == classes
            # Names that were cut can still be told apart.
            assert len({text.get_text() for text in made.ax_.get_yticklabels()}) == classes


def test_names_do_not_lie_over_each_other():
    for display in DISPLAYS[:2]:
        made = display.from_labels(*many(40, "a class with a very long name, number {}, that goes on and on {}"[:50]))
        made.figure_.canvas.draw()
        boxes = [text.get_window_extent() for text in made.ax_.get_yticklabels()]
        tops = sorted((box.y0, box.y1) for box in boxes)
        assert all(below[1] <= above[0] + 1 for below, above in zip(tops, tops[1:], strict=False))


def test_the_matrix_has_the_scores_of_pairs(iris):
    display = clmatch.PairMatrixDisplay.from_labels(*iris, measure="ch_a")
    pairs = clmatch.evaluate(*iris, measures="ch_a").pairs
    assert display.matrix[0, 1] == pytest.approx(pairs["ch_a"][0]) and display.matrix[2, 1] == pytest.approx(pairs["ch_a"][2])
    assert np.isnan(np.diag(display.matrix)).all() and (display.classes, display.measure) == (["0", "1", "2"], "ch_a")
    texts = [text.get_text() for text in display.ax_.texts]
    assert len(texts) == 6 and texts.count(f"{pairs['ch_a'][2]:.2f}") >= 2
    assert not clmatch.PairMatrixDisplay.from_labels(*many(13)).ax_.texts
    assert clmatch.PairMatrixDisplay.from_labels(*many(13), values=True).ax_.texts
    assert len(clmatch.PairMatrixDisplay.from_labels(*iris, colorbar=False).figure_.axes) == 1
    evaluation = clmatch.evaluate(*iris)
    assert clmatch.PairMatrixDisplay.from_evaluation(evaluation, measure="db_a").measure == "db_a"
    for measure in ["ch", "sc"]:
        with pytest.raises(ValueError, match=f"'{measure}' has no scores of pairs here; those that can have are clm, ch_a"):
            clmatch.PairMatrixDisplay.from_labels(*iris, measure=measure)


def test_silhouettes_are_those_of_the_points(iris):
    display = clmatch.SilhouetteDisplay.from_labels(*iris)
    assert (display.values == clmatch.silhouette_samples(*iris)).all()
    assert f"{display.values.mean():.3f}" in display.ax_.get_title(loc="right")
    adjusted = clmatch.SilhouetteDisplay.from_labels(*iris, adjusted=True)
    assert adjusted.ax_.get_xlabel() == "adjusted silhouette" and adjusted.values[0] != display.values[0]
    assert len(display.ax_.collections) == 3


def test_the_place_in_the_catalogue(iris):
    display = clmatch.CatalogueDisplay.from_labels(*iris, name="iris")
    known = clmatch.catalogue()
    assert (display.above, len(display.known)) == ((known["clm"] < display.score).sum(), 92)
    assert display.ax_.get_title(loc="left") == f"iris: {display.score:.3f}, above {display.above} of 92"
    by_db = clmatch.CatalogueDisplay.from_labels(*iris, measure="db")
    assert by_db.above == (known["db"] > by_db.score).sum()
    with pytest.raises(ValueError, match="no measure"):
        clmatch.CatalogueDisplay(0.5, "nothing")


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: display.__name__)
def test_estimators(display, iris):
    points, labels = iris
    clusterer = KMeans(3, n_init=3, random_state=0).fit(points)
    of_clusters = display.from_estimator(clusterer, points)
    of_classes = display.from_estimator(PCA(2).fit(points), points, labels)
    if display is clmatch.PairMatrixDisplay:
        # The matrix shows pairs of classes: half of the score.
        of_pairs = clmatch.evaluate(points, clusterer.labels_, measures="clm_pairs").scores["clm_pairs"]
        assert np.nanmean(of_clusters.matrix) == pytest.approx(of_pairs)
        of_pairs = clmatch.evaluate(PCA(2).fit_transform(points), labels, measures="clm_pairs").scores["clm_pairs"]
        assert np.nanmean(of_classes.matrix) == pytest.approx(of_pairs)
    elif display is clmatch.SilhouetteDisplay:
        assert of_clusters.values.mean() == pytest.approx(clmatch.silhouette(points, clusterer.labels_))
    else:
        assert of_clusters.score == pytest.approx(clmatch.score(points, clusterer.labels_))
        assert of_classes.score == pytest.approx(clmatch.score(PCA(2).fit_transform(points), labels))


@pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: display.__name__)
def test_anndata_objects(display, iris):
    points, labels = iris
    cells = anndata.AnnData(obs=pd.DataFrame({"kind": labels.astype(str)}, index=[f"c{at}" for at in range(150)]), obsm={"X_pca": points})
    display.from_labels(cells, "kind", rep="X_pca")


def test_without_matplotlib_it_is_said_what_to_install():
    program = (
        "import sys\n"
        "sys.modules['matplotlib'] = sys.modules['matplotlib.pyplot'] = None\n"
        "import clmatch\n"
        "iris = clmatch.read('iris')\n"
        "for display in (clmatch.PairMatrixDisplay, clmatch.SilhouetteDisplay, clmatch.CatalogueDisplay):\n"
        "    try:\n"
        "        display.from_labels(iris.X, iris.labels)\n"
        "    except ImportError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.splitlines() == ["figures need matplotlib: pip install matplotlib, or clmatch[plot]"] * 3
