// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/files/safetensors.h"
#include "policy/policy/policy.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

struct AdamOptions
{
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double weightDecay =
        0; ///< Decoupled (AdamW, Loshchilov and Hutter 2019); only for matrices, not for scales.
};

/// Adam with decoupled weight decay over named parameters. Saves its state by name, so a checkpoint does not
/// depend on an order.
class Adam
{
public:
    /// `together`: updates all parameters with one fused LibTorch operation, as always on a GPU; otherwise
    /// sequentially.
    Adam(NamedTensors parameters, AdamOptions options, bool together = false);

    /// The parameters by name.
    NamedTensors parameters() const;
    void zeroGradients();
    /// Scales all gradients to a global 2-norm of at most `maxNorm` (0: only measures). Returns the previous
    /// norm. Gradients with a non-finite norm stay unchanged.
    double clipGradients(double maxNorm);
    void step(double learningRate);
    std::int64_t steps() const { return m_steps; }
    void setOptions(const AdamOptions& options) { m_options = options; }

    /// Copies of the parameters and of all other state changed by step().
    struct State
    {
        std::vector<torch::Tensor> parameters, m, v;
        std::int64_t steps = 0;
    };
    State state() const;
    /// Restores the state from state().
    void restore(const State& state);

    /// First and second moments as PREFIX.m.NAME and PREFIX.v.NAME, the step count as PREFIX.steps.
    void save(SafeTensors& into, const std::string& prefix) const;
    Status load(const SafeTensors& from, const std::string& prefix);

private:
    void stepTogether(double learningRate);
    double normTogether() const;

    struct Slot
    {
        std::string name;
        torch::Tensor parameter, m, v;
    };
    std::vector<Slot> m_slots;
    AdamOptions m_options;
    std::int64_t m_steps = 0;
    bool m_together;
};

enum class Schedule
{
    Constant,
    Linear,
    Cosine
};
std::string_view nameOf(Schedule schedule); ///< "constant", "linear", "cosine"
Result<Schedule> scheduleFromName(std::string_view name);

/// Learning rate of step `step` (from 0) out of `total`: linear warm-up over `warmup` steps, then the
/// schedule down to `floor` times the peak at the last step.
double learningRateAt(Schedule schedule, double peak, std::int64_t step, std::int64_t warmup,
                      std::int64_t total, double floor);

} // namespace sparserl
