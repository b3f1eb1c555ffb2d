// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/fsuid.h>
#include <unistd.h>

namespace sparserl::test {

/// This thread without the rights of root while it lives: folders of mode 0 are closed to it. Nothing where
/// the test does not run as root, who alone needs it.
class WithoutRights
{
public:
    WithoutRights() { ::setfsuid(nobody); }
    ~WithoutRights() { ::setfsuid(::geteuid()); }
    WithoutRights(const WithoutRights&) = delete;
    WithoutRights& operator=(const WithoutRights&) = delete;

private:
    static constexpr uid_t nobody = 65534;
};

} // namespace sparserl::test
