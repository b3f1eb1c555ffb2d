// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

namespace sparserl {

/// A cancellation flag shared between the caller and the worker. Copies share the flag.
class CancelToken
{
public:
    CancelToken()
        : m_flag(std::make_shared<std::atomic<bool>>(false))
    {
    }
    void cancel() const { m_flag->store(true, std::memory_order_relaxed); }
    bool cancelled() const { return m_flag->load(std::memory_order_relaxed); }

private:
    std::shared_ptr<std::atomic<bool>> m_flag;
};

/// Progress callback: the completed fraction in [0, 1] and the current phase. May be empty.
using Progress = std::function<void(double fraction, std::string_view phase)>;

} // namespace sparserl
