// SPDX-License-Identifier: Apache-2.0
// Row-wise functions that would be half a dozen LibTorch operations each: layer norm, and the log-probability
// and entropy of a row of logits.
#include "policy/kernels/attention.h"
#include "policy/kernels/token_statistics.h"

#include "policy/kernels/simd.h"

#include <ATen/Parallel.h>
#include <cmath>

namespace sparserl {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

/// Rows of one partial sum of the weight's gradient: fixed, so that the sum does not depend on the threads.
constexpr std::int64_t partRows = 256;

SPARSERL_CLONES void normRow(const float* __restrict x, const float* __restrict weight, float* __restrict y,
                             float* inverse, std::int64_t d, float epsilon)
{
    const float mean = laneSum(d, [&](std::int64_t i) { return x[i] * x[i]; }) / float(d);
    const float r = 1.0f / std::sqrt(mean + epsilon);
    *inverse = r;
    for (std::int64_t i = 0; i < d; ++i)
        y[i] = weight[i] * (x[i] * r);
}

SPARSERL_CLONES void normBackwardRow(const float* __restrict x, const float* __restrict weight,
                                     const float* __restrict dy, float r, float* __restrict dx,
                                     float* __restrict dw, std::int64_t d)
{
    const float dot = laneSum(d, [&](std::int64_t i) { return dy[i] * weight[i] * x[i]; });
    const float scale = dot * r * r * r / float(d);
    for (std::int64_t i = 0; i < d; ++i) {
        dx[i] = r * weight[i] * dy[i] - x[i] * scale;
        dw[i] += dy[i] * x[i] * r;
    }
}

struct NormFunction : torch::autograd::Function<NormFunction>
{
    static Tensor forward(AutogradContext* context, const Tensor& input, const Tensor& weight, double epsilon)
    {
        const Tensor x = input.contiguous();
        const std::int64_t rows = x.size(0), d = x.size(1);
        Tensor y = torch::empty_like(x), inverse = torch::empty({rows}, x.options());
        const float* xData = x.const_data_ptr<float>();
        const float* weightData = weight.const_data_ptr<float>();
        float* yData = y.data_ptr<float>();
        float* inverseData = inverse.data_ptr<float>();
        at::parallel_for(0, rows, partRows, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t i = from; i < to; ++i)
                normRow(xData + i * d, weightData, yData + i * d, inverseData + i, d, float(epsilon));
        });
        context->save_for_backward({x, weight, inverse});
        return y;
    }

    static variable_list backward(AutogradContext* context, variable_list grads)
    {
        const auto saved = context->get_saved_variables();
        const Tensor gradOut = grads[0].contiguous();
        const std::int64_t rows = saved[0].size(0), d = saved[0].size(1),
                           parts = (rows + partRows - 1) / partRows;
        Tensor gradX = torch::empty_like(saved[0]), gradWeight = torch::zeros({parts, d}, gradOut.options());
        const float* xData = saved[0].const_data_ptr<float>();
        const float* weightData = saved[1].const_data_ptr<float>();
        const float* inverseData = saved[2].const_data_ptr<float>();
        const float* outData = gradOut.const_data_ptr<float>();
        float* gradXData = gradX.data_ptr<float>();
        float* gradWeightData = gradWeight.data_ptr<float>();
        at::parallel_for(0, parts, 1, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t part = from; part < to; ++part) {
                for (std::int64_t i = part * partRows; i < std::min(rows, (part + 1) * partRows); ++i)
                    normBackwardRow(xData + i * d, weightData, outData + i * d, inverseData[i],
                                    gradXData + i * d, gradWeightData + part * d, d);
            }
        });
        return {gradX, gradWeight.sum(0), Tensor()};
    }
};

/// Writes log-softmax(logits * scale) to `out`; returns the entropy, or 0 where it is not asked for.
SPARSERL_CLONES float logSoftmaxRow(const float* __restrict logits, float* __restrict out, std::int64_t n,
                                    float scale, bool withEntropy)
{
    const float top = laneMax(n, [&](std::int64_t i) { return logits[i] * scale; });
    const float sum = laneSum(n, [&](std::int64_t i) { return fastExp(logits[i] * scale - top); });
    const float shift = top + std::log(sum);
    for (std::int64_t i = 0; i < n; ++i)
        out[i] = logits[i] * scale - shift;
    return withEntropy ? -laneSum(n, [&](std::int64_t i) { return fastExp(out[i]) * out[i]; }) : 0.0f;
}

/// d(loss)/d(logits) of one row, in place over the log-probabilities:
/// scale * (g (1[i = target] - p_i) - h p_i (log p_i + H)).
SPARSERL_CLONES void statisticsBackwardRow(const float* __restrict logp, float* __restrict out,
                                           std::int64_t n, float scale, float g, float h, float entropy)
{
    for (std::int64_t i = 0; i < n; ++i)
        out[i] = -scale * fastExp(logp[i]) * (g + h * (logp[i] + entropy));
}

struct StatisticsFunction : torch::autograd::Function<StatisticsFunction>
{
    static variable_list forward(AutogradContext* context, const Tensor& input, const Tensor& targetsIn,
                                 double temperature, bool withEntropy)
    {
        const Tensor logits = input.contiguous(), targets = targetsIn.contiguous();
        const std::int64_t rows = logits.size(0), n = logits.size(1);
        Tensor all = torch::empty_like(logits);
        Tensor logp = torch::empty({rows}, logits.options()),
               entropy = torch::empty({rows}, logits.options());
        const float* logitsData = logits.const_data_ptr<float>();
        const std::int64_t* targetData = targets.const_data_ptr<std::int64_t>();
        float* allData = all.data_ptr<float>();
        float* logpData = logp.data_ptr<float>();
        float* entropyData = entropy.data_ptr<float>();
        const float scale = float(1.0 / temperature);
        at::parallel_for(0, rows, 16, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t i = from; i < to; ++i) {
                entropyData[i] = logSoftmaxRow(logitsData + i * n, allData + i * n, n, scale, withEntropy);
                logpData[i] = allData[i * n + targetData[i]];
            }
        });
        context->save_for_backward({all, targets, entropy});
        context->saved_data["temperature"] = temperature;
        return {logp, entropy};
    }

    static variable_list backward(AutogradContext* context, variable_list grads)
    {
        const auto saved = context->get_saved_variables();
        const float scale = float(1.0 / context->saved_data["temperature"].toDouble());
        const std::int64_t rows = saved[0].size(0), n = saved[0].size(1);
        const Tensor gradLogp = grads[0].defined() ? grads[0].contiguous() : torch::zeros_like(saved[2]);
        const Tensor gradEntropy = grads[1].defined() ? grads[1].contiguous() : torch::zeros_like(saved[2]);
        Tensor gradLogits = torch::empty_like(saved[0]);
        const float* allData = saved[0].const_data_ptr<float>();
        const std::int64_t* targetData = saved[1].const_data_ptr<std::int64_t>();
        const float* entropyData = saved[2].const_data_ptr<float>();
        const float* g = gradLogp.const_data_ptr<float>();
        const float* h = gradEntropy.const_data_ptr<float>();
        float* out = gradLogits.data_ptr<float>();
        at::parallel_for(0, rows, 16, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t i = from; i < to; ++i) {
                statisticsBackwardRow(allData + i * n, out + i * n, n, scale, g[i], h[i], entropyData[i]);
                out[i * n + targetData[i]] += scale * g[i];
            }
        });
        return {gradLogits, Tensor(), Tensor(), Tensor()};
    }
};

} // namespace

Tensor rmsNorm(const Tensor& x, const Tensor& weight, double epsilon)
{
    return NormFunction::apply(x, weight, epsilon);
}

std::pair<Tensor, Tensor> fusedTokenStatistics(const Tensor& logits, const Tensor& targets,
                                               double temperature, bool withEntropy)
{
    const variable_list both = StatisticsFunction::apply(logits, targets, temperature, withEntropy);
    return {both[0], withEntropy ? both[1] : Tensor()};
}

} // namespace sparserl
