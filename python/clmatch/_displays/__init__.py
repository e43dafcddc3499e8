"""Figures of pairs of classes, silhouettes and the place among known datasets. matplotlib is needed to draw them."""

from .catalogue import CatalogueDisplay
from .pairs import PairMatrixDisplay
from .silhouettes import SilhouetteDisplay

__all__ = ["CatalogueDisplay", "PairMatrixDisplay", "SilhouetteDisplay"]
