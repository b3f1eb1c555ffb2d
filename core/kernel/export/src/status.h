// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace sparserl_bundle {

/// The return values of the C interface, with the numbers from its header.
enum class Status
{
    ok = 0,
    invalid_argument = 1,
    no_driver = 2,
    no_device = 3,
    not_applicable = 4,
    out_of_memory = 5,
    dense_cols = 6,
    driver_error = 7
};

/// An error with a status code and a message.
class Failure : public std::runtime_error
{
public:
    Failure(Status status, const std::string& sentence)
        : std::runtime_error(sentence)
        , m_status(status)
    {
    }
    Status status() const { return m_status; }

private:
    Status m_status;
};

} // namespace sparserl_bundle
