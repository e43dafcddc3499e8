"""How well do the class labels of a dataset match the clusters that its points form?

>>> import clmatch
>>> iris = clmatch.read("iris")
>>> round(clmatch.score(iris.X, iris.labels), 3)
0.85
>>> result = clmatch.evaluate(iris.X, iris.labels)
>>> str(result.verdict)
'fit to serve as ground truth'

``score`` is the headline. ``calinski_harabasz`` and its siblings are the measures one by one, with the signatures of the
package ``pyivm``. ``evaluate`` has scores, pairs of classes, intervals and a verdict; ``rank`` does this for many datasets.
"""

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from . import _build, scorers  # noqa: F401  (the first of them says why the native part cannot be loaded)
from ._benchmarks import Benchmark, GroundTruth, Stability, pick, stability, truth
from ._comparison import Comparison, compare
from ._data import Dataset, catalogue, read
from ._displays import CatalogueDisplay, PairMatrixDisplay, SilhouetteDisplay
from ._explain import Action, Explanation, Relabelled, explain, relabel
from ._external import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    normalized_mutual_info_score,
    v_measure_score,
)
from ._improve import Improvement, improve
from ._input import DataWarning
from ._inspection import Inspection, inspect
from ._measures import (
    calinski_harabasz,
    davies_bouldin,
    dunn,
    i_index,
    measures,
    score,
    silhouette,
    silhouette_samples,
    xie_beni,
)
from ._ranking import Ranking, rank
from ._results import Evaluation, Verdict, evaluate
from ._summarised import SummarisedEvaluation
from ._summary import SecondPass, Summary

if TYPE_CHECKING:
    from ._improver import FeatureImprover

try:
    __version__ = version("clmatch")
except PackageNotFoundError:  # imported from a checkout that is not installed
    __version__ = "0"


def __getattr__(name: str) -> Any:
    # What needs scikit-learn is imported where it is asked for.
    if name == "FeatureImprover":
        from ._improver import FeatureImprover

        return FeatureImprover
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Action",
    "Benchmark",
    "CatalogueDisplay",
    "Comparison",
    "DataWarning",
    "Dataset",
    "Evaluation",
    "Explanation",
    "FeatureImprover",
    "GroundTruth",
    "Improvement",
    "Inspection",
    "PairMatrixDisplay",
    "Ranking",
    "Relabelled",
    "SecondPass",
    "SilhouetteDisplay",
    "Stability",
    "SummarisedEvaluation",
    "Summary",
    "Verdict",
    "__version__",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz",
    "catalogue",
    "compare",
    "davies_bouldin",
    "dunn",
    "evaluate",
    "explain",
    "i_index",
    "improve",
    "inspect",
    "measures",
    "normalized_mutual_info_score",
    "pick",
    "rank",
    "read",
    "relabel",
    "score",
    "scorers",
    "silhouette",
    "silhouette_samples",
    "stability",
    "truth",
    "v_measure_score",
    "xie_beni",
]
