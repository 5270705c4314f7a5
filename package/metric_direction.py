"""metric_direction(): whether smaller or larger values of a metric are better, by the words of its name."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

Direction = Literal["min", "max"]
"""Which value of a metric is its best: the smallest or the largest."""

_SMALLER = """
    loss, error, err, mistake, regret, penalty, miss, false positive, false negative, fpr, fnr, eer, failure, mae,
    mse, rmse, msle, rmsle, mape, smape, wmape, wape, mase, mphe, nmse, nrmse, rse, deviance, crps, ranked probability
    score, brier, nll, negative log likelihood, nloglik, nelbo, bce, cross entropy, crossentropy, log cosh, logcosh,
    hinge, huber, pinball, quantile, poisson, tweedie, multi class, pair logit, kullback leibler, kl divergence, kld,
    divergence, l1, l2, perplexity, ppl, bpc, bpb, bpd, bits per byte, bits per char, bits per character, bits per
    dim, wer, cer, mer, ter, wil, info lost, edit rate, distance, patch similarity, distortion, spectral angle mapper,
    ergas, total variation, fid, kid, fvd, lpips, davies bouldin, ece, mce, time, latency, runtime, walltime, seconds,
    duration, cost
"""
_LARGER = """
    accuracy, acc, top1, top5, prec, precision, recall, f1, f2, fbeta, f beta, f measure, fmeasure, auc, auroc, auprc,
    aucpr, roc, ap, map, mar, iou, miou, giou, io u, dice, jaccard, sensitivity, specificity, positive predictive
    value, negative predictive value, true positive, true negative, tpr, tnr, success, win, correct, hit, hits, match,
    exact, reward, rew, return, elo, fitness, margin, mcc, matthews, kappa, gini, r2, r squared, rsquared, explained
    variance, correlation, corr, corrcoef, pearson, pearsonr, spearman, spearmanr, kendall, concordance, c index, log
    likelihood, loglik, loglikelihood, likelihood, elbo, ndcg, dcg, mrr, reciprocal rank, p found, bleu, sacrebleu,
    rouge, meteor, cider, spice, chrf, bertscore, bert score, wip, similarity, cosine proximity, psnr, ssim, vmaf,
    vif, uqi, fidelity, inception score, clip score, quality, pesq, stoi, sdr, sisdr, snr, sisnr, noise ratio,
    distortion ratio, energy ratio, mos, mota, motp, hota, idf1, silhouette, calinski harabasz, dunn, rand score, ari,
    nmi, ami, mutual info, mutual information, homogeneity, completeness, v measure, purity, fowlkes mallows,
    throughput, fps, mfu, per second, per sec, speed
"""
# A name that ends with one of these is no metric, whatever comes before: loss_scale, grad_norm.
_NEITHER = """
    scale, weight, weighting, norm, grad, gradient, lr, learning rate, ratio, entropy coef, loss coef, threshold,
    limit, change, delta, reduction, improvement, drop, gap, timestep, timesteps, iteration, iterations, episode,
    episodes, rejected, histogram
"""
# Metrics whose words are not separated: valloss, mlogloss, testacc, and the words of MindSpore's Chinese users.
_SMALLER_ENDINGS = ("loss", "error", "rmse", "mse", "mae", "nll", "nloglik", "ppl", "损失", "误差", "错误率", "困惑度")
_LARGER_ENDINGS = ("accuracy", "acc", "auc", "reward", "return", "准确率", "精确率", "精度", "召回率", "奖励")
# scikit-learn negates errors, so that larger is better: neg_mean_squared_error.
_NEGATED = re.compile(r"\bneg (mean|median|root|max|log|brier)\b")
_OPPOSITES: dict[Direction | None, Direction | None] = {"min": "max", "max": "min", None: None}
# "F1Score" is two words, as are "crossEntropy" and "KLDivergence".
_WORDS = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[^\W\dA-Z_]+\d*|\d+")
_LONGEST_PHRASE = 3


def _phrases(text: str) -> list[str]:
    return [" ".join(phrase.split()) for phrase in text.split(",")]


_DIRECTIONS: dict[str, Direction | None] = {
    **dict.fromkeys(_phrases(_SMALLER), "min"),
    **dict.fromkeys(_phrases(_LARGER), "max"),
    **dict.fromkeys(_phrases(_NEITHER), None),
}


@lru_cache(4096)
def metric_direction(name: str) -> Direction | None:
    """Return "min" if smaller values of a metric are better, "max" if larger ones are, or None if neither is known.

    The last known word or phrase of the name decides, as the last noun of an English compound does: "reward_loss" is a
    loss. Words that are unknown, such as "val/", "eval_" or the name of a class, change nothing.
    """
    words = _WORDS.findall(name)
    direction = _last_known([word.lower() for word in words])
    if direction is None and len(words) > 1:
        # Names such as "mAP" and "mIoU", in which capitals do not begin words.
        direction = _last_known(re.findall(r"[^\W_]+", name.lower()))
    return _OPPOSITES[direction] if _NEGATED.search(" ".join(words).lower()) else direction


def metric_directions(names: Iterable[str]) -> dict[str, Direction]:
    """Return the direction of each metric for which it is known."""
    return {name: direction for name in names if (direction := metric_direction(name))}


def _last_known(words: list[str]) -> Direction | None:
    for end in range(len(words), 0, -1):
        for begin in range(max(0, end - _LONGEST_PHRASE), end):
            phrase = " ".join(words[begin:end])
            for known in _singulars(phrase):
                if known in _DIRECTIONS:
                    return _DIRECTIONS[known]
        if direction := _ending(words[end - 1]):
            return direction
    return "max" if {"score", "scores"} & set(words) else None


def _singulars(phrase: str) -> tuple[str, ...]:
    """Return the forms under which a phrase may be known: "ap50" is "ap", "losses" is "loss"."""
    without_plural = phrase.removesuffix("s"), phrase.removesuffix("es"), phrase.removesuffix("ies") + "y"
    return phrase, phrase.rstrip("0123456789"), *without_plural


def _ending(word: str) -> Direction | None:
    if word.endswith(_SMALLER_ENDINGS):
        return "min"
    return "max" if word.endswith(_LARGER_ENDINGS) else None
