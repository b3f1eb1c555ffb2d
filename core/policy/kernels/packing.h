// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/kernels/attention.h"

namespace sparserl {

/// Maps the rows of a packed batch to a padded one, [groups, length]. Differentiable in both directions.
class PaddedRows
{
public:
    /// One sequence per group. `length` is that of the longest sequence, rounded up to a multiple of
    /// `multiple`. The last `unread` sequences only fill rows; full() ignores them.
    PaddedRows(const Offsets& offsets, std::int64_t multiple, torch::Device device, std::int64_t unread = 0);
    /// Concatenates all sequences of an input: groupOf[b] is the group of sequence b, out of `groups`.
    PaddedRows(const Offsets& offsets, const std::vector<int>& groupOf, std::int64_t groups,
               std::int64_t multiple, torch::Device device);

    std::int64_t groups() const { return std::int64_t(m_lengths.size()); }
    std::int64_t length() const { return m_length; }
    /// Whether all groups have the full `length`.
    bool full() const { return m_full; }

    /// [rows, w] to [groups, length, w], padded with zeros.
    torch::Tensor pad(const torch::Tensor& rows) const;
    /// [groups, length, w] to [rows, w].
    torch::Tensor pack(const torch::Tensor& padded) const;
    /// [groups, 1, 1, length]: 0 for rows, `maskedScore` for padding.
    torch::Tensor keyMask(torch::Device device) const;

private:
    void place(const Offsets& offsets, const std::vector<int>& groupOf, std::int64_t multiple,
               torch::Device device, std::int64_t unread);

    std::vector<std::int64_t> m_lengths;
    std::int64_t m_length = 0;
    bool m_full = true, m_identity = true;
    torch::Tensor m_index; ///< int64 [rows]: row in the padded batch
};

/// Added to the score of a masked key. Finite, so a row without any key does not become NaN.
inline constexpr double maskedScore = -1e30;

} // namespace sparserl
