"""DBSCAN, HDBSCAN and the linkages give the partitions of scikit-learn and hdbscan."""

import hdbscan
import hdbscan.hdbscan_ as hdbscan_module
import numpy as np
import pytest
import sklearn.cluster
import sklearn.cluster._hdbscan.hdbscan as sklearn_hdbscan
from clustering import REAL, needs_real, partition, real, same


# Whole numbers make ties, which every implementation breaks in its own way; these datasets have none or few.
WITHOUT_TIES = [
    "banknote_authentication", "boston", "breast_cancer_coimbra", "breast_tissue", "breast_cancer_wisconsin_prognostic",
    "classification_in_asteroseismology", "diabetic_retinopathy_debrecen", "echocardiogram", "ecoli", "extyaleb",
    "glass_identification", "harbermans_survival", "image_segmentation", "ionosphere", "iris", "mnist64",
    "music_genre_classification", "parkinsons", "planning_relax", "raisin", "seeds", "smoker_condition",
    "statlog_image_segmentation", "turkish_music_emotion", "user_knowledge_modeling", "wine", "world12d", "date_fruit",
]


class StableSort:
    """NumPy with a stable argsort: edges of equal length stay in the order in which the algorithm found them, which is
    what decides where a point between two clusters goes."""

    def __getattr__(self, name):
        return getattr(np, name)

    @staticmethod
    def argsort(values, **_):
        return np.argsort(values, kind="stable")


@pytest.fixture
def stable(monkeypatch):
    monkeypatch.setattr(sklearn_hdbscan, "np", StableSort())
    monkeypatch.setattr(hdbscan_module, "np", StableSort())


def radius(points):
    """A little more than a typical distance to the fifth neighbour, and no distance itself."""
    some = points[:: max(1, len(points) // 100)]
    return 1.000123 * np.median([np.partition(np.linalg.norm(points - x, axis=1), 5)[5] for x in some])


def agree_on(datasets, check):
    agreed = [name for name in datasets if check(real(name)[0])]
    assert len(agreed) >= 20, f"only {len(agreed)} of {len(datasets)}: not {sorted(set(datasets) - set(agreed))}"


@needs_real
@pytest.mark.parametrize("samples,factor", [(5, 1.0), (3, 2.0), (1, 1.5)])
def test_dbscan(samples, factor):
    def check(points):
        eps = factor * radius(points)
        ours = partition(points, "dbscan", eps=eps, min_samples=samples)
        return same(ours, sklearn.cluster.DBSCAN(eps=eps, min_samples=samples).fit_predict(points))

    agree_on(WITHOUT_TIES, check)


@needs_real
@pytest.mark.parametrize("size,samples,factor", [(5, 3, 0.0), (10, 5, 1.0), (20, 8, 0.0)])
def test_hdbscan(stable, size, samples, factor):
    def check(points):
        epsilon = float(factor * radius(points))
        ours = partition(points, "hdbscan", min_cluster_size=size, min_samples=samples, epsilon=epsilon)
        options = {"min_cluster_size": size, "cluster_selection_epsilon": epsilon}
        theirs = hdbscan.HDBSCAN(min_samples=samples, algorithm="prims_kdtree", **options).fit_predict(points)
        agrees = same(ours, theirs)
        if epsilon == 0.0:  # scikit-learn 1.9 fails with a threshold and current NumPy.
            # scikit-learn counts the point itself.
            sklearns = sklearn.cluster.HDBSCAN(min_samples=samples + 1, algorithm="kd_tree", copy=True, **options)
            agrees = agrees and same(ours, sklearns.fit_predict(points))
        return agrees

    agree_on(WITHOUT_TIES, check)


@needs_real
@pytest.mark.parametrize("linkage", ["single", "average", "complete"])
def test_linkage(linkage):
    def check(points):
        for clusters in (2, 5, 9):
            ours = partition(points, linkage, clusters=clusters)
            theirs = sklearn.cluster.AgglomerativeClustering(n_clusters=clusters, linkage=linkage)
            if not same(ours, theirs.fit_predict(points)):
                return False
        return True

    agree_on(WITHOUT_TIES, check)


def test_the_list_of_datasets_is_up_to_date():
    if not REAL.is_dir():
        pytest.skip("no datasets beside the checkout")
    assert [name for name in WITHOUT_TIES if not (REAL / name).is_dir()] == []
