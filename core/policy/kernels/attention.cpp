// SPDX-License-Identifier: Apache-2.0
// Attention over packed sequences as autograd functions: per (sequence, head), a block of queries at a time
// stays in the cache between the two matrix products, and causal blocks skip the keys that they cannot see.
#include "policy/kernels/attention.h"

#include "policy/kernels/simd.h"

#include <ATen/Parallel.h>

namespace sparserl {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

extern "C" void sgemm_(const char* transA, const char* transB, const int* m, const int* n, const int* k,
                       const float* alpha, const float* a, const int* lda, const float* b, const int* ldb,
                       const float* beta, float* c, const int* ldc);

void sgemmRowMajor(bool transposeA, bool transposeB, std::int64_t m, std::int64_t n, std::int64_t k,
                   const float* a, std::int64_t lda, const float* b, std::int64_t ldb, bool accumulate,
                   float* c, std::int64_t ldc)
{
    // BLAS is column-major: compute C^T = B^T A^T.
    const int mi = int(m), ni = int(n), ki = int(k), ldai = int(lda), ldbi = int(ldb), ldci = int(ldc);
    const float one = 1, beta = accumulate ? 1.0f : 0.0f;
    sgemm_(transposeB ? "T" : "N", transposeA ? "T" : "N", &ni, &mi, &ki, &one, b, &ldbi, a, &ldai, &beta, c,
           &ldci);
}

namespace {

constexpr std::int64_t queryBlock = 64;

/// Softmax of row[0..n) with bias added (may be null); row[n..width) becomes 0.
SPARSERL_CLONES void softmaxRow(float* __restrict row, const float* __restrict bias, std::int64_t n,
                                std::int64_t width)
{
    if (bias) {
        for (std::int64_t i = 0; i < n; ++i)
            row[i] += bias[i];
    }
    const float top = laneMax(n, [&](std::int64_t i) { return row[i]; });
    for (std::int64_t i = 0; i < n; ++i)
        row[i] = fastExp(row[i] - top);
    const float scale = 1.0f / laneSum(n, [&](std::int64_t i) { return row[i]; });
    for (std::int64_t i = 0; i < n; ++i)
        row[i] *= scale;
    for (std::int64_t i = n; i < width; ++i)
        row[i] = 0;
}

/// d := p * (d - sum(d * p)) over [0, n), and 0 behind; adds the result to biasGrad unless null.
SPARSERL_CLONES void softmaxBackwardRow(float* __restrict d, const float* __restrict p,
                                        float* __restrict biasGrad, std::int64_t n, std::int64_t width)
{
    const float dot = laneSum(n, [&](std::int64_t i) { return d[i] * p[i]; });
    for (std::int64_t i = 0; i < n; ++i)
        d[i] = p[i] * (d[i] - dot);
    if (biasGrad) {
        for (std::int64_t i = 0; i < n; ++i)
            biasGrad[i] += d[i];
    }
    for (std::int64_t i = n; i < width; ++i)
        d[i] = 0;
}

/// One (sequence, head): pointers to its first row, leading dimensions, sizes.
struct HeadView
{
    const float* query;
    const float* key;
    const float* value;
    std::int64_t ldq, ldk; ///< Value shares the key's.
    std::int64_t queries, keys, width;
    bool causal;
    const float* bias; ///< Entry of key 0 for query 0; query i is i entries before it. Null: none.
    const TreeMask* tree = nullptr; ///< Null: all keys are seen.
    std::size_t sequence = 0;       ///< In the tree's.

    std::int64_t seen(std::int64_t row) const { return causal ? row + 1 : keys; }
    std::int64_t blockKeys(std::int64_t end) const { return causal ? end : keys; }
};

/// Writes `value` where query `row` does not see a key.
void hideKeys(const HeadView& h, std::int64_t row, float* scores, float value)
{
    for (std::int64_t key = 0; key < h.keys; ++key) {
        if (!h.tree->sees(h.sequence, row, key))
            scores[key] = value;
    }
}

/// p [queries, keys] receives the probabilities.
void forwardHead(const HeadView& h, float* p, float* out, std::int64_t ldo)
{
    for (std::int64_t from = 0; from < h.queries; from += queryBlock) {
        const std::int64_t to = std::min(from + queryBlock, h.queries), count = to - from;
        const std::int64_t keys = h.blockKeys(to);
        float* block = p + from * h.keys;
        sgemmRowMajor(false, true, count, keys, h.width, h.query + from * h.ldq, h.ldq, h.key, h.ldk, false,
                      block, h.keys);
        for (std::int64_t i = from; i < to; ++i) {
            float* scores = p + i * h.keys;
            if (h.tree)
                hideKeys(h, i, scores, -1e30f);
            softmaxRow(scores, h.bias ? h.bias - i : nullptr, h.seen(i), keys);
            if (h.tree)
                hideKeys(h, i, scores, 0.0f); // The exponential ends above 0.
        }
        sgemmRowMajor(false, false, count, h.width, keys, block, h.keys, h.value, h.ldk, false,
                      out + from * ldo, ldo);
    }
}

struct HeadGradients
{
    float* query;
    float* key;   ///< Accumulated into.
    float* value; ///< Accumulated into.
    float* bias;  ///< As HeadView::bias; accumulated into; may be null.
};

void backwardHead(const HeadView& h, const float* p, const float* gradOut, std::int64_t ldo,
                  const HeadGradients& g)
{
    thread_local std::vector<float> scratch;
    scratch.resize(static_cast<std::size_t>(queryBlock * h.keys));
    for (std::int64_t from = 0; from < h.queries; from += queryBlock) {
        const std::int64_t to = std::min(from + queryBlock, h.queries), count = to - from;
        const std::int64_t keys = h.blockKeys(to);
        const float* block = p + from * h.keys;
        const float* grad = gradOut + from * ldo;
        sgemmRowMajor(false, true, count, keys, h.width, grad, ldo, h.value, h.ldk, false, scratch.data(),
                      h.keys);
        for (std::int64_t i = from; i < to; ++i)
            softmaxBackwardRow(scratch.data() + (i - from) * h.keys, p + i * h.keys,
                               g.bias ? g.bias - i : nullptr, h.seen(i), keys);
        sgemmRowMajor(false, false, count, h.width, keys, scratch.data(), h.keys, h.key, h.ldk, false,
                      g.query + from * h.ldq, h.ldq);
        sgemmRowMajor(true, false, keys, h.width, count, scratch.data(), h.keys, h.query + from * h.ldq,
                      h.ldq, true, g.key, h.ldk);
        sgemmRowMajor(true, false, keys, h.width, count, block, h.keys, grad, ldo, true, g.value, h.ldk);
    }
}

/// Start of each sequence's probabilities, [heads, queries, keys] each.
Offsets probabilityOffsets(std::int64_t heads, const Offsets& offsets, const Offsets& keyOffsets,
                           const std::vector<int>& inputOf)
{
    Offsets starts{0};
    for (std::size_t b = 0; b < inputOf.size(); ++b) {
        const int m = inputOf[b];
        starts.push_back(starts.back() +
                         heads * (offsets[b + 1] - offsets[b]) * (keyOffsets[m + 1] - keyOffsets[m]));
    }
    return starts;
}

/// What both kinds of attention know about one call.
struct Layout
{
    Offsets offsets, keyOffsets;
    std::vector<int> inputOf;
    Offsets probabilities;
    std::int64_t heads = 0, width = 0, longest = 0;
    bool causal = false;
    std::shared_ptr<const TreeMask> tree;
};

struct SelfFunction : torch::autograd::Function<SelfFunction>
{
    static HeadView view(const Layout& layout, const float* qkv, const float* bias, std::int64_t b,
                         std::int64_t h)
    {
        const std::int64_t inner = layout.heads * layout.width, start = layout.offsets[b];
        const float* query = qkv + start * 3 * inner + h * layout.width;
        const std::int64_t length = layout.offsets[b + 1] - start;
        return {query,
                query + inner,
                query + 2 * inner,
                3 * inner,
                3 * inner,
                length,
                length,
                layout.width,
                layout.causal,
                bias + h * (2 * layout.longest - 1) + layout.longest - 1,
                layout.tree && h < layout.tree->heads ? layout.tree.get() : nullptr,
                static_cast<std::size_t>(b)};
    }

    static Tensor forward(AutogradContext* context, const Tensor& qkvIn, const Tensor& biasIn,
                          std::shared_ptr<const Layout> layout)
    {
        const Tensor qkv = qkvIn.contiguous(), bias = biasIn.contiguous();
        const Layout& l = *layout;
        Tensor out = torch::empty({qkv.size(0), l.heads * l.width}, qkv.options());
        Tensor p = torch::empty({l.probabilities.back()}, qkv.options());
        const float* qkvData = qkv.const_data_ptr<float>();
        const float* biasData = bias.const_data_ptr<float>();
        float* outData = out.data_ptr<float>();
        float* pData = p.data_ptr<float>();
        const std::int64_t inner = l.heads * l.width, tasks = std::int64_t(l.inputOf.size()) * l.heads;
        at::parallel_for(0, tasks, 1, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t task = from; task < to; ++task) {
                const std::int64_t b = task / l.heads, h = task % l.heads;
                const HeadView head = view(l, qkvData, biasData, b, h);
                forwardHead(head, pData + l.probabilities[b] + h * head.queries * head.keys,
                            outData + l.offsets[b] * inner + h * l.width, inner);
            }
        });
        context->save_for_backward({qkv, bias, p});
        context->saved_data["layout"] =
            torch::IValue::make_capsule(c10::make_intrusive<LayoutHolder>(std::move(layout)));
        return out;
    }

    struct LayoutHolder : torch::CustomClassHolder
    {
        explicit LayoutHolder(std::shared_ptr<const Layout> l)
            : layout(std::move(l))
        {
        }
        std::shared_ptr<const Layout> layout;
    };

    static variable_list backward(AutogradContext* context, variable_list grads)
    {
        const auto saved = context->get_saved_variables();
        const auto capsule = context->saved_data["layout"].toCapsule();
        const Layout& l = *static_cast<const LayoutHolder*>(capsule.get())->layout;
        const Tensor gradOut = grads[0].contiguous();
        Tensor gradQkv = torch::zeros_like(saved[0]);
        const std::int64_t sequences = std::int64_t(l.inputOf.size()), diagonals = 2 * l.longest - 1;
        Tensor gradBias = torch::zeros({sequences, l.heads, diagonals}, gradOut.options());
        const float* qkvData = saved[0].const_data_ptr<float>();
        const float* biasData = saved[1].const_data_ptr<float>();
        const float* pData = saved[2].const_data_ptr<float>();
        const float* outData = gradOut.const_data_ptr<float>();
        float* gradData = gradQkv.data_ptr<float>();
        float* gradBiasData = gradBias.data_ptr<float>();
        const std::int64_t inner = l.heads * l.width;
        at::parallel_for(0, sequences * l.heads, 1, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t task = from; task < to; ++task) {
                const std::int64_t b = task / l.heads, h = task % l.heads;
                const HeadView head = view(l, qkvData, biasData, b, h);
                float* grad = gradData + l.offsets[b] * 3 * inner + h * l.width;
                backwardHead(
                    head, pData + l.probabilities[b] + h * head.queries * head.keys,
                    outData + l.offsets[b] * inner + h * l.width, inner,
                    {grad, grad + inner, grad + 2 * inner, gradBiasData + task * diagonals + l.longest - 1});
            }
        });
        return {gradQkv, gradBias.sum(0), Tensor()};
    }
};

struct CrossFunction : torch::autograd::Function<CrossFunction>
{
    static HeadView view(const Layout& l, const float* query, const float* keyValue, std::int64_t b,
                         std::int64_t h)
    {
        const std::int64_t inner = l.heads * l.width, m = l.inputOf[b];
        const float* key = keyValue + l.keyOffsets[m] * 2 * inner + h * l.width;
        return {query + l.offsets[b] * inner + h * l.width,
                key,
                key + inner,
                inner,
                2 * inner,
                l.offsets[b + 1] - l.offsets[b],
                l.keyOffsets[m + 1] - l.keyOffsets[m],
                l.width,
                false,
                nullptr};
    }

    static Tensor forward(AutogradContext* context, const Tensor& queryIn, const Tensor& keyValueIn,
                          std::shared_ptr<const Layout> layout)
    {
        const Tensor query = queryIn.contiguous(), keyValue = keyValueIn.contiguous();
        const Layout& l = *layout;
        Tensor out = torch::empty_like(query);
        Tensor p = torch::empty({l.probabilities.back()}, query.options());
        const float* queryData = query.const_data_ptr<float>();
        const float* keyData = keyValue.const_data_ptr<float>();
        float* outData = out.data_ptr<float>();
        float* pData = p.data_ptr<float>();
        const std::int64_t inner = l.heads * l.width, tasks = std::int64_t(l.inputOf.size()) * l.heads;
        at::parallel_for(0, tasks, 1, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t task = from; task < to; ++task) {
                const std::int64_t b = task / l.heads, h = task % l.heads;
                const HeadView head = view(l, queryData, keyData, b, h);
                forwardHead(head, pData + l.probabilities[b] + h * head.queries * head.keys,
                            outData + l.offsets[b] * inner + h * l.width, inner);
            }
        });
        context->save_for_backward({query, keyValue, p});
        context->saved_data["layout"] =
            torch::IValue::make_capsule(c10::make_intrusive<SelfFunction::LayoutHolder>(std::move(layout)));
        return out;
    }

    static variable_list backward(AutogradContext* context, variable_list grads)
    {
        const auto saved = context->get_saved_variables();
        const auto capsule = context->saved_data["layout"].toCapsule();
        const Layout& l = *static_cast<const SelfFunction::LayoutHolder*>(capsule.get())->layout;
        const Tensor gradOut = grads[0].contiguous();
        Tensor gradQuery = torch::empty_like(saved[0]), gradKeyValue = torch::zeros_like(saved[1]);
        const float* queryData = saved[0].const_data_ptr<float>();
        const float* keyData = saved[1].const_data_ptr<float>();
        const float* pData = saved[2].const_data_ptr<float>();
        const float* outData = gradOut.const_data_ptr<float>();
        float* gradQueryData = gradQuery.data_ptr<float>();
        float* gradKeyData = gradKeyValue.data_ptr<float>();
        const std::int64_t inner = l.heads * l.width, inputs = std::int64_t(l.keyOffsets.size()) - 1;
        // One task owns the keys of an (input, head), so sequences that share an input add up in a fixed
        // order.
        at::parallel_for(0, inputs * l.heads, 1, [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t task = from; task < to; ++task) {
                const std::int64_t m = task / l.heads, h = task % l.heads;
                float* gradKey = gradKeyData + l.keyOffsets[m] * 2 * inner + h * l.width;
                for (std::size_t b = 0; b < l.inputOf.size(); ++b) {
                    if (l.inputOf[b] != m)
                        continue;
                    const HeadView head = view(l, queryData, keyData, std::int64_t(b), h);
                    const std::int64_t at = l.offsets[b] * inner + h * l.width;
                    backwardHead(head, pData + l.probabilities[b] + h * head.queries * head.keys,
                                 outData + at, inner,
                                 {gradQueryData + at, gradKey, gradKey + inner, nullptr});
                }
            }
        });
        return {gradQuery, gradKeyValue, Tensor()};
    }
};

} // namespace

Tensor selfAttention(const Tensor& qkv, const Tensor& diagonalBias, const Offsets& offsets, bool causal,
                     const std::shared_ptr<const TreeMask>& tree)
{
    auto layout = std::make_shared<Layout>();
    layout->offsets = layout->keyOffsets = offsets;
    layout->inputOf.resize(offsets.size() - 1);
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b)
        layout->inputOf[b] = static_cast<int>(b);
    layout->heads = diagonalBias.size(0);
    layout->width = qkv.size(1) / (3 * layout->heads);
    layout->longest = (diagonalBias.size(1) + 1) / 2;
    layout->causal = causal;
    layout->tree = tree;
    layout->probabilities = probabilityOffsets(layout->heads, offsets, offsets, layout->inputOf);
    return SelfFunction::apply(qkv, diagonalBias, std::shared_ptr<const Layout>(layout));
}

Tensor crossAttention(const Tensor& query, const Tensor& keyValue, const Offsets& offsets,
                      const Offsets& keyOffsets, const std::vector<int>& inputOf, int heads)
{
    auto layout = std::make_shared<Layout>();
    layout->offsets = offsets;
    layout->keyOffsets = keyOffsets;
    layout->inputOf = inputOf;
    layout->heads = heads;
    layout->width = query.size(1) / heads;
    layout->probabilities = probabilityOffsets(heads, offsets, keyOffsets, inputOf);
    return CrossFunction::apply(query, keyValue, std::shared_ptr<const Layout>(layout));
}

} // namespace sparserl
