// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/typed_parameter.h"

#include <cstdint>
#include <string>

/// The keys of the stages' parameters, with the types of their values. stage_parameters.cpp declares the
/// meaning, default and range of each key. To read a value, write `parameters[param::sft::batch]`.
namespace sparserl::param {

inline constexpr Param<std::int64_t> seed{"seed"};
inline constexpr Param<std::int64_t> threads{"threads"};
inline constexpr Param<std::string> task{"task"};
inline constexpr Param<std::int64_t> denseColumns{"dense_columns"};
inline constexpr Param<std::string> moreColumns{"more_columns"};
inline constexpr Param<std::string> elementType{"element_type"};
inline constexpr Param<std::string> device{"device"};
inline constexpr Param<std::string> precision{"precision"};
inline constexpr Param<bool> recompute{"recompute_activations"};

namespace judge {
inline constexpr Param<std::string> device{"judge.device"};
inline constexpr Param<std::string> gpus{"judge.gpus"};
inline constexpr Param<std::string> model{"judge.model"};
inline constexpr Param<std::string> timing{"judge.timing"};
inline constexpr Param<bool> inTurn{"judge.in_turn"};
inline constexpr Param<bool> cold{"judge.cold"};
inline constexpr Param<std::int64_t> seed{"judge.seed"};
inline constexpr Param<std::string> sandbox{"judge.sandbox"};
} // namespace judge

namespace checkpoint {
inline constexpr Param<std::int64_t> every{"checkpoint.every"};
inline constexpr Param<std::int64_t> keep{"checkpoint.keep"};
} // namespace checkpoint

namespace eval {
inline constexpr Param<std::int64_t> every{"eval.every"};
inline constexpr Param<std::int64_t> samples{"eval.samples"};
} // namespace eval

/// Monitoring of the machine resources that a run uses (training/work/system_watch.h).
namespace system {
inline constexpr Param<double> every{"system.every"};
} // namespace system

namespace policy {
inline constexpr Param<std::int64_t> dModel{"policy.d_model"};
inline constexpr Param<std::int64_t> dKv{"policy.d_kv"};
inline constexpr Param<std::int64_t> dFf{"policy.d_ff"};
inline constexpr Param<std::int64_t> encoderLayers{"policy.encoder_layers"};
inline constexpr Param<std::int64_t> decoderLayers{"policy.decoder_layers"};
inline constexpr Param<std::int64_t> heads{"policy.heads"};
inline constexpr Param<std::string> embedding{"policy.embedding"};
inline constexpr Param<std::int64_t> maxEntries{"policy.max_entries"};
inline constexpr Param<std::int64_t> views{"policy.views"};
inline constexpr Param<std::int64_t> maxTokens{"policy.max_tokens"};
} // namespace policy

namespace tokenizer {
inline constexpr Param<std::int64_t> vocabulary{"tokenizer.vocabulary"};
inline constexpr Param<std::string> pieces{"tokenizer.pieces"};
} // namespace tokenizer

namespace pretrain {
inline constexpr Param<std::int64_t> texts{"pretrain.texts"};
inline constexpr Param<double> idioms{"pretrain.idioms"};
inline constexpr Param<double> variety{"pretrain.variety"};
inline constexpr Param<std::string> corpus{"pretrain.corpus"};
inline constexpr Param<double> corpusShare{"pretrain.corpus_share"};
inline constexpr Param<double> heldout{"pretrain.heldout"};
inline constexpr Param<std::int64_t> steps{"pretrain.steps"};
inline constexpr Param<std::int64_t> batch{"pretrain.batch"};
inline constexpr Param<std::int64_t> microBatch{"pretrain.micro_batch"};
inline constexpr Param<double> lr{"pretrain.lr"};
inline constexpr Param<std::string> schedule{"pretrain.schedule"};
inline constexpr Param<std::int64_t> warmup{"pretrain.warmup"};
inline constexpr Param<double> lrFloor{"pretrain.lr_floor"};
inline constexpr Param<double> weightDecay{"pretrain.weight_decay"};
inline constexpr Param<double> adamEps{"pretrain.adam_eps"};
inline constexpr Param<double> gradClip{"pretrain.grad_clip"};
} // namespace pretrain

namespace sft {
inline constexpr Param<std::int64_t> programsPerMatrix{"sft.programs_per_matrix"};
inline constexpr Param<std::int64_t> heldoutPrograms{"sft.heldout_programs"};
inline constexpr Param<std::string> families{"sft.families"};
inline constexpr Param<bool> useChosen{"sft.use_chosen"};
inline constexpr Param<std::int64_t> maxBytes{"sft.max_bytes"};
inline constexpr Param<double> variety{"sft.variety"};
inline constexpr Param<double> recommended{"sft.recommended"};
inline constexpr Param<std::string> draw{"sft.draw"};
inline constexpr Param<std::string> weighting{"sft.weighting"};
inline constexpr Param<double> speedWeight{"sft.speed_weight"};
inline constexpr Param<std::string> prompt{"sft.prompt"};
inline constexpr Param<double> promptUntil{"sft.prompt_until"};
inline constexpr Param<double> refine{"sft.refine"};
inline constexpr Param<std::int64_t> records{"sft.records"};
inline constexpr Param<double> contrast{"sft.contrast"};
inline constexpr Param<double> contrastMargin{"sft.contrast_margin"};
inline constexpr Param<std::int64_t> steps{"sft.steps"};
inline constexpr Param<std::int64_t> batch{"sft.batch"};
inline constexpr Param<std::int64_t> microBatch{"sft.micro_batch"};
inline constexpr Param<double> lr{"sft.lr"};
inline constexpr Param<std::string> schedule{"sft.schedule"};
inline constexpr Param<std::int64_t> warmup{"sft.warmup"};
inline constexpr Param<double> lrFloor{"sft.lr_floor"};
inline constexpr Param<double> weightDecay{"sft.weight_decay"};
inline constexpr Param<double> adamEps{"sft.adam_eps"};
inline constexpr Param<double> gradClip{"sft.grad_clip"};
} // namespace sft

namespace rl {
inline constexpr Param<std::int64_t> iterations{"rl.iterations"};
inline constexpr Param<std::string> sampler{"rl.sampler"};
inline constexpr Param<std::string> endpoint{"rl.endpoint"};
inline constexpr Param<double> samplerMismatch{"rl.sampler_mismatch"};
inline constexpr Param<std::int64_t> matrices{"rl.matrices"};
inline constexpr Param<std::int64_t> samples{"rl.samples"};
inline constexpr Param<double> temperature{"rl.temperature"};
inline constexpr Param<double> temperatureEnd{"rl.temperature_end"};
inline constexpr Param<std::int64_t> topK{"rl.top_k"};
inline constexpr Param<double> topP{"rl.top_p"};
inline constexpr Param<double> broadShare{"rl.broad_share"};
inline constexpr Param<double> broadTemperature{"rl.broad_temperature"};
inline constexpr Param<double> behaviourCap{"rl.behaviour_cap"};
inline constexpr Param<std::string> behaviourCorrection{"rl.behaviour_correction"};
inline constexpr Param<std::int64_t> resampleRounds{"rl.resample_rounds"};
inline constexpr Param<std::int64_t> maxTokens{"rl.max_tokens"};
inline constexpr Param<bool> verifier{"rl.verifier"};
inline constexpr Param<bool> judgeAhead{"rl.judge_ahead"};
inline constexpr Param<double> refine{"rl.refine"};
inline constexpr Param<double> measuredShare{"rl.measured_share"};
inline constexpr Param<std::int64_t> matrixClusters{"rl.matrix_clusters"};
inline constexpr Param<double> clusterShare{"rl.cluster_share"};
inline constexpr Param<std::string> algorithm{"rl.algorithm"};
inline constexpr Param<std::int64_t> maxK{"rl.max_k"};
inline constexpr Param<double> gamma{"rl.gamma"};
inline constexpr Param<double> lambda{"rl.lambda"};
inline constexpr Param<std::string> policyLoss{"rl.policy_loss"};
inline constexpr Param<std::string> ratio{"rl.ratio"};
inline constexpr Param<double> clipLow{"rl.clip_low"};
inline constexpr Param<double> clipHigh{"rl.clip_high"};
inline constexpr Param<double> dualClip{"rl.dual_clip"};
inline constexpr Param<double> entropyCoef{"rl.entropy_coef"};
inline constexpr Param<double> klCoef{"rl.kl_coef"};
inline constexpr Param<std::string> klEstimator{"rl.kl_estimator"};
inline constexpr Param<std::string> klReference{"rl.kl_reference"};
inline constexpr Param<double> klTarget{"rl.kl_target"};
inline constexpr Param<double> klHorizon{"rl.kl_horizon"};
inline constexpr Param<double> klLossCoef{"rl.kl_loss_coef"};
inline constexpr Param<std::string> klLossEstimator{"rl.kl_loss_estimator"};
inline constexpr Param<bool> whiten{"rl.whiten"};
inline constexpr Param<std::string> whitenOver{"rl.whiten_over"};
inline constexpr Param<bool> tokenClasses{"rl.token_classes"};
inline constexpr Param<double> planWeight{"rl.plan_weight"};
inline constexpr Param<std::string> aggregation{"rl.aggregation"};
inline constexpr Param<bool> filterGroups{"rl.filter_groups"};
inline constexpr Param<std::int64_t> epochs{"rl.epochs"};
inline constexpr Param<std::int64_t> minibatch{"rl.minibatch"};
inline constexpr Param<std::int64_t> microBatch{"rl.micro_batch"};
inline constexpr Param<double> lr{"rl.lr"};
inline constexpr Param<std::string> schedule{"rl.schedule"};
inline constexpr Param<std::int64_t> warmup{"rl.warmup"};
inline constexpr Param<double> lrFloor{"rl.lr_floor"};
inline constexpr Param<double> adamEps{"rl.adam_eps"};
inline constexpr Param<double> weightDecay{"rl.weight_decay"};
inline constexpr Param<double> gradClip{"rl.grad_clip"};
inline constexpr Param<double> klStop{"rl.kl_stop"};
inline constexpr Param<double> criticLr{"rl.critic_lr"};
inline constexpr Param<double> valueClip{"rl.value_clip"};
inline constexpr Param<std::int64_t> valuePretrain{"rl.value_pretrain"};
inline constexpr Param<double> valueBar{"rl.value_bar"};
inline constexpr Param<std::int64_t> valueEpochs{"rl.value_epochs"};
inline constexpr Param<bool> valueOnly{"rl.value_only"};
inline constexpr Param<std::string> critic{"rl.critic"};
} // namespace rl

namespace rft {
inline constexpr Param<std::int64_t> samples{"rft.samples"};
inline constexpr Param<double> temperature{"rft.temperature"};
inline constexpr Param<std::int64_t> maxTokens{"rft.max_tokens"};
inline constexpr Param<bool> verifier{"rft.verifier"};
inline constexpr Param<double> minReward{"rft.min_reward"};
inline constexpr Param<std::int64_t> repeatLimit{"rft.repeat_limit"};
inline constexpr Param<std::int64_t> perMatrix{"rft.per_matrix"};
inline constexpr Param<std::int64_t> steps{"rft.steps"};
inline constexpr Param<std::int64_t> batch{"rft.batch"};
inline constexpr Param<std::int64_t> microBatch{"rft.micro_batch"};
inline constexpr Param<double> lr{"rft.lr"};
inline constexpr Param<std::string> schedule{"rft.schedule"};
inline constexpr Param<std::int64_t> warmup{"rft.warmup"};
inline constexpr Param<double> lrFloor{"rft.lr_floor"};
inline constexpr Param<double> weightDecay{"rft.weight_decay"};
inline constexpr Param<double> adamEps{"rft.adam_eps"};
inline constexpr Param<double> gradClip{"rft.grad_clip"};
} // namespace rft

namespace reward {
inline constexpr Param<std::string> preset{"reward.preset"};
inline constexpr Param<std::int64_t> statsSamples{"reward.stats_samples"};
inline constexpr Param<double> rEff{"reward.r_eff"};
inline constexpr Param<double> rPenalty{"reward.r_penalty"};
inline constexpr Param<double> alpha{"reward.alpha"};
inline constexpr Param<std::string> expression{"reward.expression"};
inline constexpr Param<double> truncated{"reward.truncated"};
inline constexpr Param<std::int64_t> overlongBuffer{"reward.overlong_buffer"};
inline constexpr Param<double> overlongPenalty{"reward.overlong_penalty"};
} // namespace reward

namespace evaluate {
inline constexpr Param<std::int64_t> samples{"evaluate.samples"};
inline constexpr Param<std::string> endpoint{"evaluate.endpoint"};
inline constexpr Param<std::string> k{"evaluate.k"};
inline constexpr Param<double> budget{"evaluate.budget"};
inline constexpr Param<std::string> matrices{"evaluate.matrices"};
inline constexpr Param<std::string> split{"evaluate.split"};
inline constexpr Param<std::string> order{"evaluate.order"};
inline constexpr Param<std::int64_t> orderSeed{"evaluate.order_seed"};
inline constexpr Param<double> temperature{"evaluate.temperature"};
inline constexpr Param<std::string> temperatures{"evaluate.temperatures"};
inline constexpr Param<std::int64_t> topK{"evaluate.top_k"};
inline constexpr Param<double> topP{"evaluate.top_p"};
inline constexpr Param<double> broadShare{"evaluate.broad_share"};
inline constexpr Param<double> broadTemperature{"evaluate.broad_temperature"};
inline constexpr Param<bool> greedy{"evaluate.greedy"};
inline constexpr Param<std::int64_t> beam{"evaluate.beam"};
inline constexpr Param<std::int64_t> maxTokens{"evaluate.max_tokens"};
inline constexpr Param<bool> verifier{"evaluate.verifier"};
inline constexpr Param<std::int64_t> information{"evaluate.information"};
inline constexpr Param<bool> exchange{"evaluate.exchange"};
} // namespace evaluate

namespace search {
inline constexpr Param<std::string> matrices{"search.matrices"};
inline constexpr Param<std::string> endpoint{"search.endpoint"};
inline constexpr Param<std::string> split{"search.split"};
inline constexpr Param<double> seconds{"search.seconds"};
inline constexpr Param<std::int64_t> candidates{"search.candidates"};
inline constexpr Param<std::int64_t> generation{"search.generation"};
inline constexpr Param<std::int64_t> benchPrograms{"search.bench_programs"};
inline constexpr Param<std::string> families{"search.families"};
inline constexpr Param<std::string> shares{"search.shares"};
inline constexpr Param<std::string> temperatures{"search.temperatures"};
inline constexpr Param<std::int64_t> samples{"search.samples"};
inline constexpr Param<std::int64_t> rounds{"search.rounds"};
inline constexpr Param<bool> ranking{"search.ranking"};
} // namespace search

/// Monitoring of a run's metrics (training/work/alarms.h).
namespace alarm {
inline constexpr Param<std::int64_t> patience{"alarm.patience"};
inline constexpr Param<double> loss{"alarm.loss"};
inline constexpr Param<std::string> lossAction{"alarm.loss_action"};
inline constexpr Param<double> unlearned{"alarm.unlearned"};
inline constexpr Param<std::string> unlearnedAction{"alarm.unlearned_action"};
inline constexpr Param<double> gradient{"alarm.gradient"};
inline constexpr Param<std::string> gradientAction{"alarm.gradient_action"};
inline constexpr Param<double> entropyLow{"alarm.entropy_low"};
inline constexpr Param<std::string> entropyLowAction{"alarm.entropy_low_action"};
inline constexpr Param<double> entropyHigh{"alarm.entropy_high"};
inline constexpr Param<std::string> entropyHighAction{"alarm.entropy_high_action"};
inline constexpr Param<double> kl{"alarm.kl"};
inline constexpr Param<std::string> klAction{"alarm.kl_action"};
inline constexpr Param<double> compileRate{"alarm.compile_rate"};
inline constexpr Param<std::string> compileRateAction{"alarm.compile_rate_action"};
inline constexpr Param<double> families{"alarm.families"};
inline constexpr Param<std::string> familiesAction{"alarm.families_action"};
inline constexpr Param<double> reward{"alarm.reward"};
inline constexpr Param<std::string> rewardAction{"alarm.reward_action"};
inline constexpr Param<std::int64_t> silent{"alarm.silent"};
inline constexpr Param<std::string> silentAction{"alarm.silent_action"};
inline constexpr Param<double> sampler{"alarm.sampler"};
inline constexpr Param<std::string> samplerAction{"alarm.sampler_action"};
inline constexpr Param<double> explainedVariance{"alarm.explained_variance"};
inline constexpr Param<std::string> explainedVarianceAction{"alarm.explained_variance_action"};
} // namespace alarm

} // namespace sparserl::param
