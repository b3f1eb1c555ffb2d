// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/kernels/attention.h"

namespace sparserl {

/// Converts packed batches to padded batches [groups, length] and back. Both directions are differentiable.
class PaddedRows
{
public:
    /// Makes each sequence a group. The length is that of the longest sequence, rounded up to a multiple of
    /// `multiple`. full() ignores the last `unread` sequences, whose results nobody reads.
    PaddedRows(const Offsets& offsets, std::int64_t multiple, torch::Device device, std::int64_t unread = 0);
    /// Joins sequences to `groups` groups; sequence b goes to group groupOf[b].
    PaddedRows(const Offsets& offsets, const std::vector<int>& groupOf, std::int64_t groups,
               std::int64_t multiple, torch::Device device);

    std::int64_t groups() const { return std::int64_t(m_lengths.size()); }
    std::int64_t length() const { return m_length; }
    /// Returns whether no group needs padding.
    bool full() const { return m_full; }

    /// Converts [rows, w] to [groups, length, w], padded with zeros.
    torch::Tensor pad(const torch::Tensor& rows) const;
    /// Converts [groups, length, w] to [rows, w].
    torch::Tensor pack(const torch::Tensor& padded) const;
    /// Returns a mask [groups, 1, 1, length] to add to scores: 0 for rows, `maskedScore` for padding.
    torch::Tensor keyMask(torch::Device device) const;

private:
    void place(const Offsets& offsets, const std::vector<int>& groupOf, std::int64_t multiple,
               torch::Device device, std::int64_t unread);

    std::vector<std::int64_t> m_lengths;
    std::int64_t m_length = 0;
    bool m_full = true, m_identity = true;
    torch::Tensor m_index; ///< int64 [rows]: index of each row in the padded batch.
};

/// The number that is added to the score of a masked key. It is finite, so that a row without any key does
/// not become NaN.
inline constexpr double maskedScore = -1e30;

} // namespace sparserl
