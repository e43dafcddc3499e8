"""How well do the class labels of a dataset match the clusters that its points form?

>>> import clmatch
>>> iris = clmatch.read("iris")
>>> round(clmatch.score(iris.X, iris.labels), 3)
0.879
>>> result = clmatch.evaluate(iris.X, iris.labels)
>>> str(result.verdict)
'fit to serve as ground truth'

``score`` is the headline. ``calinski_harabasz`` and its siblings are the measures one by one, with the signatures of the
package ``pyivm``. ``evaluate`` has scores, pairs of classes, intervals and a verdict; ``rank`` does this for many datasets.
"""

from importlib.metadata import PackageNotFoundError, version

from ._data import Dataset, catalogue, read
from ._external import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    normalized_mutual_info_score,
    v_measure_score,
)
from ._input import DataWarning
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
from ._results import Evaluation, Ranking, Verdict, evaluate, rank
from ._summary import SecondPass, SummarizedEvaluation, Summary

try:
    __version__ = version("clmatch")
except PackageNotFoundError:  # imported from a checkout that is not installed
    __version__ = "0"

__all__ = [
    "DataWarning",
    "Dataset",
    "Evaluation",
    "Ranking",
    "SecondPass",
    "SummarizedEvaluation",
    "Summary",
    "Verdict",
    "__version__",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz",
    "catalogue",
    "davies_bouldin",
    "dunn",
    "evaluate",
    "i_index",
    "measures",
    "normalized_mutual_info_score",
    "rank",
    "read",
    "score",
    "silhouette",
    "silhouette_samples",
    "v_measure_score",
    "xie_beni",
]
