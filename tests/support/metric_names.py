"""Names of metrics as MindSpore, torchmetrics, Keras, Transformers, Ultralytics, SB3, boosters and users write them."""


def _names(text: str) -> list[str]:
    return text.split()


SMALLER_IS_BETTER = _names("""
    loss eval_loss mae mse perplexity hausdorff_distance mean_surface_distance root_mean_square_distance val_loss
    eval/loss validation/loss test_loss train.loss test-loss Loss/train train_loss_epoch train_loss_step rmse error
    WER eval_wer eval_cer CrossEntropy LanguageCrossEntropy LanguagePerplexity cross_entropy
    categorical_crossentropy binary_crossentropy sparse_categorical_crossentropy MeanSquaredError MeanAbsoluteError
    mean_squared_error mean_absolute_error root_mean_squared_error mean_absolute_percentage_error
    mean_squared_logarithmic_error SymmetricMeanAbsolutePercentageError val_mean_absolute_error kl_divergence
    kullback_leibler_divergence kld hinge squared_hinge categorical_hinge log_cosh logcosh poisson huber_loss
    false_positives false_negatives CalibrationError HammingDistance MinkowskiDistance CharErrorRate WordErrorRate
    MatchErrorRate WordInfoLost translation_edit_rate ExtendedEditDistance SpectralAngleMapper
    ErrorRelativeGlobalDimensionlessSynthesis FrechetInceptionDistance LearnedPerceptualImagePatchSimilarity
    KernelInceptionDistance fid FID50k lpips TotalVariation davies_bouldin_score CoverageError LabelRankingLoss
    TweedieDevianceScore ContinuousRankedProbabilityScore train/box_loss val/cls_loss val/dfl_loss train/seg_loss
    val/giou_loss train/value_loss train/policy_gradient_loss train/entropy_loss actor_loss critic_loss
    rollout/regret validation_0-rmse eval-logloss eval-mlogloss test-merror test-error@0.5 train-rmsle train-mape
    train-mphe poisson-nloglik gamma-nloglik cox-nloglik gamma-deviance valid_0/l1 valid_0/l2 binary_logloss
    multi_error cross_entropy_lambda kullback_leibler quantile tweedie fair_loss Logloss MultiClass RMSE SMAPE MSLE
    MedianAbsoluteError BalancedErrorRate BrierScore HingeLoss ZeroOneLoss NumErrors valid/QueryRMSE ppl valppl
    bits_per_byte bpc nll val/nll negative_log_likelihood neg_log_likelihood val_bce reward_loss eval_runtime
    epoch_seconds time latency latency_ms 损失 验证损失 top_1_error error_rate EER crps ece expected_calibration_error
    valloss trainLoss g_loss d_loss loss_box_reg losses/total epoch_loss
""")
LARGER_IS_BETTER = _names("""
    accuracy acc val_acc val/acc eval_accuracy Accuracy MulticlassAccuracy BinaryAccuracy top_5_accuracy
    sparse_top_k_categorical_accuracy categorical_accuracy top1 acc1 Acc@5 Top1CategoricalAccuracy precision
    Precision recall Recall F1 f1 eval_f1 MulticlassF1Score f1_macro FBetaScore Dice dice_coef dice_coefficient
    dice_score mIoU MeanIoU mean_io_u JaccardIndex iou val/IoU auc val_auc ROC_AUC AUROC roc_auc average_precision
    mAP mAP@0.5 metrics/mAP50(B) metrics/mAP50-95(B) metrics/precision(B) metrics/recall(B) map_50 mar_100 AP50
    COCO/AP aucpr auprc bleu eval_bleu bleu_score BLEU4 rouge1 rougeL eval_rougeLsum meteor chrf bertscore_f1
    exact_match eval_exact_match psnr PeakSignalNoiseRatio ssim MultiScaleStructuralSimilarityIndexMeasure
    inception_score InceptionScore clip_score SignalDistortionRatio SignalNoiseRatio
    ScaleInvariantSignalDistortionRatio PESQ stoi rollout/ep_rew_mean eval/mean_reward mean_reward
    episode_reward_mean episode_return success_rate rollout/success_rate win_rate elo train/explained_variance ndcg
    ndcg@10 valid_1/map hits@10 hit_rate mrr MRR@10 recall@20 interval-regression-accuracy auc_mu r2 R2 R2Score
    r2_score pearson PearsonCorrCoef SpearmanCorrCoef eval_spearmanr matthews_correlation MatthewsCorrCoef mcc kappa
    CohenKappa cosine_similarity cosine_proximity ConcordanceCorrCoef explained_variance sensitivity specificity
    true_positives tpr balanced_accuracy TotalF1 NormalizedGini PFound neg_mean_squared_error neg_log_loss
    neg_root_mean_squared_error neg_brier_score log_likelihood elbo silhouette_score adjusted_rand_score
    normalized_mutual_info_score v_measure_score rewards/accuracies rewards/margins mean_token_accuracy
    eval_samples_per_second throughput/samples_per_second time/fps tokens_per_second fitness metrics/fitness
    my_score 准确率 验证准确率 testacc occlusion_sensitivity HOTA MOTA precision_at_recall PanopticQuality completeness
    accuracy/class_3 f1-score HD_dice
""")
DIRECTION_UNKNOWN = _names("""
    lr learning_rate epoch step train/global_step loss_scale grad_norm l2_norm/grad/global ent_coef std entropy kl
    train/approx_kl clip_fraction rollout/ep_len_mean total_timesteps time/total_timesteps time/iterations objective
    batch_size confusion_matrix beta gamma temperature num_tokens x weight_decay train/n_updates dropout
    completions/mean_length rewards/rejected logps/chosen foo metric value custom_metric my_metric
    learning_rate/group0 momentum loss_weight runtime_ratio accuracy_gap memory/allocated cpu gpu/0/memory power
    lower answer viewer classes glossary viewers account
""")
