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
    double weightDecay = 0; ///< Decoupled (AdamW, Loshchilov and Hutter 2019); only for weight matrices.
};

/// Adam with decoupled weight decay. Parameters have names, and the state is saved by name, so a checkpoint
/// does not depend on the order of parameters.
class Adam
{
public:
    /// With `together`, one fused LibTorch operation updates all parameters, as is always the case on a GPU.
    /// Otherwise, they are updated one after the other.
    Adam(NamedTensors parameters, AdamOptions options, bool together = false);

    /// Returns the parameters with their names.
    NamedTensors parameters() const;
    void zeroGradients();
    /// Scales all gradients together so that their global 2-norm is at most `maxNorm`, and returns the norm
    /// before scaling. If `maxNorm` is 0 or the norm is not finite, leaves the gradients unchanged.
    double clipGradients(double maxNorm);
    void step(double learningRate);
    std::int64_t steps() const { return m_steps; }
    void setOptions(const AdamOptions& options) { m_options = options; }

    /// Copies of the parameters and of everything else that step() changes.
    struct State
    {
        std::vector<torch::Tensor> parameters, m, v;
        std::int64_t steps = 0;
    };
    State state() const;
    /// Restores a state that state() returned.
    void restore(const State& state);

    /// Saves the moments as PREFIX.m.NAME (first) and PREFIX.v.NAME (second), the step count as PREFIX.steps.
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

/// Returns the learning rate of step `step` (from 0) of `total` steps. The rate rises linearly over the first
/// `warmup` steps; then it follows the schedule, down to `floor` times `peak` at the last step.
double learningRateAt(Schedule schedule, double peak, std::int64_t step, std::int64_t warmup,
                      std::int64_t total, double floor);

} // namespace sparserl
