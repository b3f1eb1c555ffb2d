// SPDX-License-Identifier: Apache-2.0
#include "policy/kernels/packing.h"

#include "policy/compute/transfer.h"

namespace sparserl {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

/// Rows to places of a larger array. No place is taken twice, so neither direction needs to add up, which
/// index_select's own gradient would do with atomics.
struct ScatterRows : torch::autograd::Function<ScatterRows>
{
    static Tensor forward(AutogradContext* context, const Tensor& rows, const Tensor& index,
                          std::int64_t places)
    {
        context->save_for_backward({index});
        return torch::zeros({places, rows.size(1)}, rows.options()).index_copy_(0, index, rows);
    }
    static variable_list backward(AutogradContext* context, variable_list grads)
    {
        return {grads[0].index_select(0, context->get_saved_variables()[0]), Tensor(), Tensor()};
    }
};

struct GatherRows : torch::autograd::Function<GatherRows>
{
    static Tensor forward(AutogradContext* context, const Tensor& padded, const Tensor& index)
    {
        context->save_for_backward({index});
        context->saved_data["places"] = padded.size(0);
        return padded.index_select(0, index);
    }
    static variable_list backward(AutogradContext* context, variable_list grads)
    {
        const std::int64_t places = context->saved_data["places"].toInt();
        return {torch::zeros({places, grads[0].size(1)}, grads[0].options())
                    .index_copy_(0, context->get_saved_variables()[0], grads[0]),
                Tensor()};
    }
};

} // namespace

PaddedRows::PaddedRows(const Offsets& offsets, std::int64_t multiple, torch::Device device,
                       std::int64_t unread)
    : m_lengths(offsets.size() - 1, 0)
{
    std::vector<int> groupOf(offsets.size() - 1);
    for (std::size_t b = 0; b < groupOf.size(); ++b)
        groupOf[b] = static_cast<int>(b);
    place(offsets, groupOf, multiple, device, unread);
}

PaddedRows::PaddedRows(const Offsets& offsets, const std::vector<int>& groupOf, std::int64_t groups,
                       std::int64_t multiple, torch::Device device)
    : m_lengths(std::size_t(groups), 0)
{
    place(offsets, groupOf, multiple, device, 0);
}

void PaddedRows::place(const Offsets& offsets, const std::vector<int>& groupOf, std::int64_t multiple,
                       torch::Device device, std::int64_t unread)
{
    std::vector<std::int64_t> start(groupOf.size());
    for (std::size_t b = 0; b < groupOf.size(); ++b) {
        std::int64_t& length = m_lengths[std::size_t(groupOf[b])];
        start[b] = length;
        length += offsets[b + 1] - offsets[b];
    }
    for (const std::int64_t length : m_lengths)
        m_length = std::max(m_length, length);
    m_length = std::max<std::int64_t>(1, (m_length + multiple - 1) / multiple) * multiple;
    Tensor index = torch::empty({offsets.back()}, torch::kInt64);
    std::int64_t* out = index.data_ptr<std::int64_t>();
    for (std::size_t b = 0; b < groupOf.size(); ++b) {
        for (std::int64_t t = 0; t < offsets[b + 1] - offsets[b]; ++t) {
            const std::int64_t at = groupOf[b] * m_length + start[b] + t;
            m_identity = m_identity && at == offsets[b] + t;
            *out++ = at;
        }
    }
    for (std::size_t g = 0; g < m_lengths.size(); ++g) {
        m_identity = m_identity && m_lengths[g] == m_length;
        m_full = m_full && (m_lengths[g] == m_length || g + std::size_t(unread) >= m_lengths.size());
    }
    if (!m_identity)
        m_index = onDevice(index, device);
}

Tensor PaddedRows::pad(const Tensor& rows) const
{
    if (m_identity)
        return rows.view({groups(), m_length, rows.size(1)});
    return ScatterRows::apply(rows, m_index, groups() * m_length).view({groups(), m_length, rows.size(1)});
}

Tensor PaddedRows::pack(const Tensor& padded) const
{
    const Tensor flat = padded.reshape({groups() * m_length, padded.size(2)});
    return m_identity ? flat : GatherRows::apply(flat, m_index);
}

Tensor PaddedRows::keyMask(torch::Device device) const
{
    Tensor mask = torch::full({groups(), 1, 1, m_length}, maskedScore);
    for (std::size_t g = 0; g < m_lengths.size(); ++g)
        mask[std::int64_t(g)].narrow(2, 0, m_lengths[g]).zero_();
    return onDevice(mask, device);
}

} // namespace sparserl
