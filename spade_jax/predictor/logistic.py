"""Logistic regression with a Gaussian prior and Laplace's approximation of the posterior.

Few rows and many numbers: the prior keeps the weights small, and what the rows do not settle shows
as uncertainty, which pulls a prediction towards one half (Spiegelhalter and Lauritzen, 1990;
MacKay, 1992, "The evidence framework applied to classification networks").
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

__all__ = ["Logistic", "fit"]

Array = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Logistic:
    """A fitted model.

    Attributes:
      mean, scale: float64[F], of the training rows. weights: float64[F + 1], the last one the bias.
      covariance: float64[F + 1, F + 1], of the weights.
    """

    mean: Array
    scale: Array
    weights: Array
    covariance: Array

    def predict(self, rows: Array) -> tuple[Array, Array, Array]:
        """Mean and central 95 % interval of the probability, each float64[n].

        Rounded to six digits: what is decided by them must not hang on the last bit of a sum.
        """
        design = _design((rows - self.mean) / self.scale)
        middle = design @ self.weights
        spread = np.sqrt(np.einsum("nf,fg,ng->n", design, self.covariance, design))
        moderated = middle / np.sqrt(1.0 + np.pi / 8.0 * spread**2)
        bounds = middle - 1.96 * spread, middle + 1.96 * spread
        mean, low, high = (np.round(expit(z), 6) for z in (moderated, *bounds))
        return mean, low, high


def fit(rows: Array, targets: Array, ridge: float) -> Logistic:
    """The most probable weights.

    Args:
      rows: float64[n, F], n ≥ 1. targets: float64[n] in [0, 1]; a share counts like that many
        successes of one trial.
      ridge: precision of the prior on the weights of the standardised numbers; the bias has next
        to none.
    """
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(spread > 1e-9, spread, 1.0)
    design = _design((rows - mean) / scale)
    precision = np.full(design.shape[1], ridge)
    precision[-1] = 0.01

    def objective(w: Array) -> tuple[float, Array]:
        z = design @ w
        loss = float(np.sum(np.logaddexp(0.0, z) - targets * z) + 0.5 * np.sum(precision * w * w))
        return loss, design.T @ (expit(z) - targets) + precision * w

    def hessian(w: Array) -> Array:
        p = expit(design @ w)
        return (design * (p * (1.0 - p))[:, None]).T @ design + np.diag(precision)

    start = np.zeros(design.shape[1])
    found = minimize(objective, start, jac=True, hess=hessian, method="trust-exact")
    weights = np.asarray(found.x, np.float64)
    covariance = np.asarray(np.linalg.inv(hessian(weights)), np.float64)
    return Logistic(mean, scale, weights, covariance)


def _design(standardised: Array) -> Array:
    return np.concatenate([standardised, np.ones((len(standardised), 1))], axis=1)
