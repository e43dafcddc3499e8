"""The Python package: scorers for scikit-learn's searches."""

import pickle

import clmatch
import numpy as np
import pytest
from clmatch import scorers
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import MDS
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_score
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

BLOBS, _ = make_blobs(300, centers=[[0, 0], [9, 0], [0, 9], [9, 9]], random_state=3)
ALL = {id: getattr(scorers, f"neg_{id}" if id in ("xb", "db") else id) for id in (one["id"] for one in clmatch.measures())}


class Fixed(ClusterMixin, BaseEstimator):
    """A clusterer that gives the labels that it is told."""

    def __init__(self, labels=None):
        self.labels = labels

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return np.asarray(self.labels)


def test_there_is_one_for_each_measure():
    assert all(scorer.measure == id for id, scorer in ALL.items())
    assert {name for name in scorers.__all__ if name not in ("Scorer", "make_scorer")} == {
        f"neg_{id}" if id in ("xb", "db") else id for id in ALL
    }


@pytest.mark.parametrize("id", ALL)
def test_a_clusterer_gets_the_value_of_its_clusters(id):
    clusterer = KMeans(3, random_state=0).fit(BLOBS[:200])
    value = clmatch.score(BLOBS[200:], clusterer.predict(BLOBS[200:]), measure=id)
    assert ALL[id](clusterer, BLOBS[200:]) == pytest.approx(-value if id in ("xb", "db") else value, rel=1e-12)
    # Classes say nothing about clusters that were found.
    assert ALL[id](clusterer, BLOBS[200:], np.arange(100) % 2) == ALL[id](clusterer, BLOBS[200:])


def test_standard_ones_are_those_of_scikit_learn():
    clusterer = KMeans(3, random_state=0).fit(BLOBS)
    labels = clusterer.labels_
    assert scorers.sc(clusterer, BLOBS) == pytest.approx(silhouette_score(BLOBS, labels))
    assert scorers.ch(clusterer, BLOBS) == pytest.approx(calinski_harabasz_score(BLOBS, labels))
    assert scorers.neg_db(clusterer, BLOBS) == pytest.approx(-davies_bouldin_score(BLOBS, labels))


@pytest.mark.parametrize("scorer", [scorers.clm, scorers.ch_a, scorers.sc_a, scorers.sc, scorers.neg_db], ids=lambda scorer: scorer.measure)
def test_the_number_of_clusters_is_found(scorer):
    search = GridSearchCV(KMeans(n_init=3, random_state=0), {"n_clusters": range(1, 9)}, scoring=scorer, error_score="raise")
    with np.errstate(invalid="ignore"):
        assert search.fit(BLOBS).best_params_ == {"n_clusters": 4}
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()


def test_a_search_with_several_scorers_and_processes():
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KMeans(n_init=3, random_state=0)), {"kmeans__n_clusters": [2, 4]},
        scoring={"clm": scorers.clm, "sc": scorers.sc}, refit="clm", n_jobs=2, error_score="raise",
    )
    assert search.fit(BLOBS).best_params_ == {"kmeans__n_clusters": 4}
    assert {"mean_test_clm", "mean_test_sc"} <= set(search.cv_results_)


def test_clusterers_that_cannot_predict_are_fitted_to_the_points():
    for clusterer in [DBSCAN(eps=2.0), AgglomerativeClustering(4)]:
        expected = clmatch.score(BLOBS[200:], clusterer.fit_predict(BLOBS[200:]))
        # As many points as it was fitted to, in which its labels would be wrong.
        assert scorers.clm(clusterer.fit(BLOBS[:100]), BLOBS[200:]) == expected
        assert clusterer.labels_.tolist() == clusterer.fit(BLOBS[:100]).labels_.tolist()
    search = GridSearchCV(DBSCAN(), {"eps": [0.01, 2.0, 50.0]}, scoring=scorers.clm, error_score="raise")
    assert search.fit(BLOBS).best_params_ == {"eps": 2.0}


def test_mixtures_are_clusterers():
    search = GridSearchCV(GaussianMixture(random_state=0), {"n_components": [1, 2, 4, 7]}, scoring=scorers.clm)
    assert search.fit(BLOBS).best_params_ == {"n_components": 4}


def test_a_transformer_is_scored_by_where_it_puts_the_classes():
    points, labels = load_wine(return_X_y=True)
    raw, scaled = PCA(2), make_pipeline(StandardScaler(), PCA(2))
    assert scorers.clm(scaled.fit(points), points, labels) == clmatch.score(scaled.transform(points), labels)
    options = {"cv": StratifiedKFold(5), "error_score": "raise"}
    mean = lambda pipeline: cross_val_score(pipeline, points, labels, scoring=scorers.clm, **options).mean()
    assert mean(scaled) > mean(raw) + 0.1
    search = GridSearchCV(scaled, {"pca__n_components": [1, 2, 8]}, scoring=scorers.sc_a, **options)
    assert search.fit(points, labels).best_params_ == {"pca__n_components": 2}


def test_transformers_that_cannot_move_other_points_are_fitted_to_them():
    points, labels = load_iris(return_X_y=True)
    mapping = MDS(2, n_init=1, max_iter=30, random_state=0, init="random").fit(points[::5])
    expected = clmatch.score(MDS(2, n_init=1, max_iter=30, random_state=0, init="random").fit_transform(points[::3]), labels[::3])
    assert scorers.clm(mapping, points[::3], labels[::3]) == pytest.approx(expected)


def test_points_are_seen_as_the_clusterer_sees_them_or_as_they_were_given():
    points, _ = load_wine(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), PCA(2), KMeans(3, random_state=0)).fit(points)
    clusters = pipeline.predict(points)
    assert scorers.clm(pipeline, points) == clmatch.score(pipeline[:-1].transform(points), clusters)
    assert scorers.make_scorer("clm", space="input")(pipeline, points) == clmatch.score(points, clusters)


@pytest.mark.parametrize("id", ALL)
@pytest.mark.parametrize("labels", ["one cluster", "all alone", "one and noise"])
def test_what_is_no_partition_gets_the_worst_value(id, labels):
    given = {"one cluster": np.zeros(40), "all alone": np.arange(40), "one and noise": np.where(np.arange(40) < 9, -1, 0)}[labels]
    described = next(one for one in clmatch.measures() if one["id"] == id)
    worst = -np.inf if described["better"] == "lower" else described["range"][0]
    scorer = scorers.make_scorer(id, noise=-1)
    assert scorer(Fixed(given), BLOBS[:40]) == scorer.worst == worst


def test_pairs_with_clusters_of_one_point_count_as_the_worst():
    labels = np.repeat([0, 1], 150)
    order = np.argsort(BLOBS[:, 0])
    value = clmatch.score(BLOBS[order][1:-1], labels[1:-1])
    alone = labels.copy()
    alone[0], alone[-1] = 7, 8
    # Of the six pairs of four clusters, one has no cluster of a single point.
    assert scorers.clm(Fixed(alone), BLOBS[order]) == pytest.approx(value / 6)
    silhouettes = clmatch.silhouette(BLOBS[order][1:-1], labels[1:-1], adjusted=True)
    assert scorers.sc_a(Fixed(alone), BLOBS[order]) == pytest.approx(-1 + (silhouettes + 1) / 6)
    # The standard silhouette has a value for them.
    assert scorers.sc(Fixed(alone), BLOBS[order]) == pytest.approx(silhouette_score(BLOBS[order], alone))


def test_classes_of_one_point_are_left_out():
    points, labels = load_iris(return_X_y=True)
    labels = labels.copy()
    labels[0] = 9
    assert scorers.clm(PCA(2).fit(points), points, labels) == pytest.approx(
        clmatch.score(PCA(2).fit(points).transform(points)[1:], labels[1:])
    )


def test_noise_can_be_left_out():
    clusterer = DBSCAN(eps=0.4).fit(BLOBS)
    noise = clusterer.labels_ == -1
    assert 0 < noise.sum() < 200
    labels, counts = np.unique(clusterer.labels_, return_counts=True)
    assert (counts > 1).all()
    assert scorers.clm(clusterer, BLOBS) == clmatch.score(BLOBS, clusterer.labels_)
    without = scorers.make_scorer(noise=-1)
    assert without(clusterer, BLOBS) == clmatch.score(BLOBS[~noise], clusterer.labels_[~noise])


def test_what_cannot_be_scored_is_refused_in_words():
    points, labels = load_iris(return_X_y=True)
    classifier = make_pipeline(StandardScaler(), LogisticRegression()).fit(points, labels)
    with pytest.raises(TypeError, match=r"LogisticRegression is neither a clusterer nor a transformer.*pipeline\[:-1\]"):
        scorers.clm(classifier, points, labels)
    with pytest.raises(ValueError, match="PCA moves points, and there are no classes y"):
        scorers.clm(PCA(2).fit(points), points)
    with pytest.raises(ValueError, match="there are 1 classes of two points or more in y: .*StratifiedKFold"):
        scorers.clm(PCA(2).fit(points), points[:50], labels[:50])
    with pytest.raises(ValueError, match="no measure 'silhouette'; there are clm"):
        scorers.make_scorer("silhouette")
    with pytest.raises(ValueError, match="space must be"):
        scorers.make_scorer(space="output")


def test_scorers_can_be_pickled_and_compared():
    scorer = scorers.make_scorer("db", space="input", noise=-1, n_jobs=2)
    assert pickle.loads(pickle.dumps(scorer)) == scorer != scorers.neg_db
    assert repr(scorers.clm) == "Scorer(measure='clm', space='transformed', noise=None, n_jobs=None)"


def test_cross_validate_takes_them_by_name():
    found = cross_validate(KMeans(4, random_state=0), BLOBS, scoring={"a": scorers.ch_a, "b": scorers.neg_xb})
    assert found["test_a"].min() > 0.8 and found["test_b"].max() < 0
