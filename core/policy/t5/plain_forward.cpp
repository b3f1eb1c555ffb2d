// SPDX-License-Identifier: Apache-2.0
#include "policy/t5/plain_forward.h"

#include "policy/compute/recompute.h"
#include "policy/compute/transfer.h"
#include "policy/kernels/packing.h"

namespace sparserl {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

/// LibTorch's attention on GPUs wants masks whose rows are aligned to this many entries.
constexpr std::int64_t maskMultiple = 16;

/// Rows of a bf16 product are a multiple of this: cuBLAS looks for a kernel anew for every number of rows,
/// for longer than the product takes, and packed batches have all numbers.
constexpr std::int64_t rowMultiple = 128;

/// Sequences with such a number of rows: behind the given ones stand some that nobody reads.
Offsets roundedRows(const Offsets& offsets, torch::ScalarType precision)
{
    Offsets rounded = offsets;
    if (precision == torch::kFloat32)
        return rounded;
    std::int64_t longest = 1;
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b)
        longest = std::max(longest, offsets[b + 1] - offsets[b]);
    const std::int64_t end = (offsets.back() + rowMultiple - 1) / rowMultiple * rowMultiple;
    while (rounded.back() < end)
        rounded.push_back(std::min(end, rounded.back() + longest));
    return rounded;
}

/// Zeros behind x until it has so many rows.
Tensor withRows(const Tensor& x, std::int64_t rows)
{
    return x.size(0) == rows ? x : torch::constant_pad_nd(x, {0, 0, 0, rows - x.size(0)});
}

/// Many tensors to another precision by one copy each way: a copy by itself for each would cost a small model
/// more than its products.
struct CastAll : torch::autograd::Function<CastAll>
{
    static variable_list cast(at::TensorList from, torch::ScalarType type)
    {
        std::int64_t total = 0;
        for (const Tensor& tensor : from)
            total += tensor.numel();
        const Tensor all = torch::empty({total}, from.front().options().dtype(type));
        variable_list to;
        std::int64_t at = 0;
        for (const Tensor& tensor : from) {
            to.push_back(all.narrow(0, at, tensor.numel()).view(tensor.sizes()));
            at += tensor.numel();
        }
        at::_foreach_copy_(to, from);
        return to;
    }
    static variable_list forward(AutogradContext*, at::TensorList weights, torch::ScalarType type)
    {
        return cast(weights, type);
    }
    static variable_list backward(AutogradContext*, variable_list grads)
    {
        variable_list defined;
        for (const Tensor& grad : grads) {
            if (grad.defined())
                defined.push_back(grad);
        }
        variable_list all(grads.size() + 1);
        if (defined.empty())
            return all;
        const variable_list full = cast(defined, torch::kFloat32);
        for (std::size_t i = 0, k = 0; i < grads.size(); ++i) {
            if (grads[i].defined())
                all[i] = full[k++];
        }
        return all;
    }
};

/// [groups, length, parts * inner] to `parts` of [groups, heads, length, width].
std::vector<Tensor> heads(const Tensor& padded, std::int64_t parts, std::int64_t count)
{
    const Tensor split =
        padded.view({padded.size(0), padded.size(1), parts, count, padded.size(2) / (parts * count)});
    // Taken apart at once: the way back is then one copy, not one for each part and their sums.
    std::vector<Tensor> result = parts == 1 ? std::vector<Tensor>{split.squeeze(2)} : split.unbind(2);
    for (Tensor& part : result)
        part = part.transpose(1, 2);
    return result;
}

/// Attention of padded heads, [groups, length, inner]. T5 does not scale scores.
Tensor attend(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask)
{
    const Tensor out = at::scaled_dot_product_attention(
        query, key, value, mask.defined() ? std::optional(mask.to(query.scalar_type())) : std::nullopt, 0.0,
        false, 1.0);
    return out.transpose(1, 2).flatten(2);
}

/// Bias of every key for every query, [1, heads, length, length]; keys behind a query are masked where
/// `causal`.
Tensor squareBias(const Tensor& table, std::int64_t length, bool causal, const T5Config& config)
{
    Tensor diagonal =
        relativeBias(table, length, !causal, config.relative_attention_max_distance); // [heads, 2 length - 1]
    if (causal) {
        Tensor future = torch::zeros({2 * length - 1});
        future.narrow(0, length, length - 1).fill_(maskedScore);
        diagonal = diagonal + onDevice(future, diagonal.device());
    }
    // Window r holds entries r .. r + length - 1; query i starts at length - 1 - i.
    return diagonal.unfold(1, length, 1).flip(1).unsqueeze(0);
}

/// [groups, heads, length, length]: `maskedScore` where a head of the tree does not see a key. Groups behind
/// the tree's only fill rows.
Tensor treeBias(const TreeMask& tree, std::int64_t groups, std::int64_t heads, std::int64_t length)
{
    Tensor bias = torch::zeros({groups, heads, length, length});
    float* data = bias.data_ptr<float>();
    for (std::size_t g = 0; g < tree.parents.size(); ++g) {
        const auto nodes = static_cast<std::int64_t>(tree.parents[g].size());
        for (std::int64_t h = 0; h < tree.heads; ++h) {
            float* square = data + (static_cast<std::int64_t>(g) * heads + h) * length * length;
            for (std::int64_t i = 0; i < nodes; ++i) {
                for (std::int64_t j = 0; j < nodes; ++j) {
                    if (!tree.sees(g, i, j))
                        square[i * length + j] = static_cast<float>(maskedScore);
                }
            }
        }
    }
    return bias;
}

Tensor selfLayer(const SelfAttention& w, const Tensor& x, const Tensor& mask, const PaddedRows& rows,
                 const T5Config& config, torch::ScalarType precision)
{
    const Tensor qkv = torch::mm(plainNorm(x, w.norm, config.layer_norm_epsilon, precision), w.qkv.t());
    const auto part = heads(rows.pad(qkv), 3, config.num_heads);
    return plainProjected(x, rows.pack(attend(part[0], part[1], part[2], mask)), w.out);
}

} // namespace

Tensor plainNorm(const Tensor& x, const Tensor& weight, double epsilon, torch::ScalarType precision)
{
    return at::rms_norm(x, {x.size(-1)}, weight, epsilon).to(precision);
}

Tensor plainProjected(const Tensor& residual, const Tensor& x, const Tensor& weight)
{
    if (x.scalar_type() == residual.scalar_type())
        return torch::addmm(residual, x, weight.t());
    return residual + torch::mm(x, weight.t());
}

Tensor plainFeedForward(const FeedForward& w, const Tensor& x, const T5Config& config,
                        torch::ScalarType precision)
{
    Tensor h = torch::mm(plainNorm(x, w.norm, config.layer_norm_epsilon, precision), w.in.t());
    if (config.gated) {
        const auto halves = h.chunk(2, -1);
        h = torch::gelu(halves[0], "tanh") * halves[1];
    } else {
        h = torch::relu(h);
    }
    return plainProjected(x, h, w.out);
}

T5Stack inPrecision(const T5Stack& stack, torch::ScalarType precision)
{
    if (precision == torch::kFloat32)
        return stack;
    T5Stack result = stack;
    std::vector<Tensor*> places;
    for (T5Block& block : result.blocks) {
        for (Tensor* weight : {&block.self.qkv, &block.self.out, &block.cross.query, &block.cross.keyValue,
                               &block.cross.out, &block.feed.in, &block.feed.out}) {
            if (weight->defined())
                places.push_back(weight);
        }
    }
    variable_list weights;
    for (const Tensor* place : places)
        weights.push_back(*place);
    const variable_list lowered = CastAll::apply(at::TensorList(weights), precision);
    for (std::size_t i = 0; i < places.size(); ++i)
        *places[i] = lowered[i];
    return result;
}

Tensor plainEncode(const T5Stack& fullStack, const T5Config& config, const Tensor& embedded,
                   const Offsets& given, const Compute& compute, const TreeMask* tree, const GoesOn& goesOn)
{
    const torch::ScalarType precision = compute.precision;
    const T5Stack stack = inPrecision(fullStack, precision);
    const Offsets offsets = roundedRows(given, precision);
    const PaddedRows rows(offsets, maskMultiple, embedded.device(),
                          std::int64_t(offsets.size() - given.size()));
    Tensor mask = squareBias(stack.relativeBias, rows.length(), false, config);
    if (!rows.full())
        mask = mask + rows.keyMask(embedded.device());
    if (tree)
        mask = mask +
               onDevice(treeBias(*tree, rows.groups(), config.num_heads, rows.length()), embedded.device());
    mask = mask.to(precision);
    const LayerFunction<T5Block> layer = [rows, config, precision](const T5Block& block,
                                                                   const std::vector<Tensor>& of) {
        const Tensor x = selfLayer(block.self, of[0], of[1], rows, config, precision);
        return plainFeedForward(block.feed, x, config, precision);
    };
    Tensor x = withRows(embedded, offsets.back());
    for (const T5Block& block : stack.blocks) {
        if (goesOn && !goesOn())
            return {};
        x = throughLayer(layer, block, {x, mask}, compute.recompute);
    }
    return plainNorm(x.narrow(0, 0, given.back()), stack.finalNorm, config.layer_norm_epsilon,
                     torch::kFloat32);
}

Tensor plainDecode(const T5Stack& fullStack, const T5Config& config, const Tensor& embedded,
                   const Offsets& given, const EncoderOutput& encoded, const std::vector<int>& givenInputs,
                   const Compute& compute)
{
    const torch::ScalarType precision = compute.precision;
    const T5Stack stack = inPrecision(fullStack, precision);
    const torch::Device device = embedded.device();
    const Offsets offsets = roundedRows(given, precision);
    std::vector<int> inputOf = givenInputs;
    inputOf.resize(offsets.size() - 1, 0);
    const PaddedRows rows(offsets, maskMultiple, device);
    const Tensor mask = squareBias(stack.relativeBias, rows.length(), true, config).to(precision);
    // Cross attention knows no positions: all queries of an input look at its keys together.
    const std::int64_t inputs = std::int64_t(encoded.offsets.size()) - 1;
    const PaddedRows queries(offsets, inputOf, inputs, 1, device);
    PaddedRows keys(encoded.offsets, 1, device);
    Tensor keyMask;
    if (!keys.full()) {
        keys = PaddedRows(encoded.offsets, maskMultiple, device);
        keyMask = keys.keyMask(device).to(precision);
    }
    const std::int64_t keyRows = encoded.offsets.back();
    const Tensor hidden =
        withRows(encoded.hidden, roundedRows(encoded.offsets, precision).back()).to(precision);
    const LayerFunction<T5Block> layer = [rows, queries, keys, keyMask, keyRows, config,
                                          precision](const T5Block& block, const std::vector<Tensor>& of) {
        Tensor x = selfLayer(block.self, of[0], of[1], rows, config, precision);
        const Tensor query = torch::mm(plainNorm(x, block.cross.norm, config.layer_norm_epsilon, precision),
                                       block.cross.query.t());
        const auto keyValue = heads(
            keys.pad(torch::mm(of[2], block.cross.keyValue.t()).narrow(0, 0, keyRows)), 2, config.num_heads);
        const Tensor seen =
            attend(heads(queries.pad(query), 1, config.num_heads)[0], keyValue[0], keyValue[1], keyMask);
        x = plainProjected(x, queries.pack(seen), block.cross.out);
        return plainFeedForward(block.feed, x, config, precision);
    };
    Tensor x = withRows(embedded, offsets.back());
    for (const T5Block& block : stack.blocks)
        x = throughLayer(layer, block, {x, mask, hidden}, compute.recompute);
    return plainNorm(x.narrow(0, 0, given.back()), stack.finalNorm, config.layer_norm_epsilon,
                     torch::kFloat32);
}

} // namespace sparserl
