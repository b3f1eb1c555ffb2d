// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/kernels/attention.h"

namespace sparserl {

/// Where the rows of a packed batch stand in a padded one, [groups, length]. Differentiable both ways.
class PaddedRows
{
public:
    /// One sequence a group; `length` is the longest one's, rounded up to a multiple of `multiple`. The last
    /// `unread` ones only fill rows: full() does not ask for them.
    PaddedRows(const Offsets& offsets, std::int64_t multiple, torch::Device device, std::int64_t unread = 0);
    /// All sequences of an input behind one another: groupOf[b] is the group of sequence b, of `groups`.
    PaddedRows(const Offsets& offsets, const std::vector<int>& groupOf, std::int64_t groups,
               std::int64_t multiple, torch::Device device);

    std::int64_t groups() const { return std::int64_t(m_lengths.size()); }
    std::int64_t length() const { return m_length; }
    /// No group is shorter than `length`.
    bool full() const { return m_full; }

    /// [rows, w] to [groups, length, w], zeros where nothing stands.
    torch::Tensor pad(const torch::Tensor& rows) const;
    /// [groups, length, w] to [rows, w].
    torch::Tensor pack(const torch::Tensor& padded) const;
    /// [groups, 1, 1, length]: 0 where a row stands, else `maskedScore`.
    torch::Tensor keyMask(torch::Device device) const;

private:
    void place(const Offsets& offsets, const std::vector<int>& groupOf, std::int64_t multiple,
               torch::Device device, std::int64_t unread);

    std::vector<std::int64_t> m_lengths;
    std::int64_t m_length = 0;
    bool m_full = true, m_identity = true;
    torch::Tensor m_index; ///< int64 [rows]: row of the padded batch
};

/// What is added to the score of a key that must not be seen: finite, so that a row without any key is not
/// NaN.
inline constexpr double maskedScore = -1e30;

} // namespace sparserl
