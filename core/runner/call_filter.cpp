// SPDX-License-Identifier: Apache-2.0
#include "runner/call_filter.h"

#include "runner/sandbox_parts.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <seccomp.h>
#include <set>
#include <unistd.h>

namespace sparserl {

namespace {

constexpr unsigned kindBits = 8, kindShift = 8;
constexpr unsigned terminalKind = 'T'; ///< TIOCSTI, which types for the user, and TIOCLINUX are of it.

class Filter
{
public:
    Filter(LockedRole role, Refusal refusal)
        : m_role(role)
        , m_refusal(refusal)
        , m_filter(::seccomp_init(refused(-1)), ::seccomp_release)
    {
        // Other architectures have other numbers, and x32 marks them: nothing of ours makes such calls.
        m_good = m_filter && set(SCMP_FLTATR_ACT_BADARCH, refusal == Refusal::Marked
                                                              ? SCMP_ACT_ERRNO(markedError)
                                                              : SCMP_ACT_ERRNO(refusedWith(role, -1)));
        // Also the threads that a driver has started already.
        m_good = m_good && set(SCMP_FLTATR_CTL_TSYNC, 1) && set(SCMP_FLTATR_CTL_OPTIMIZE, 2);
    }

    void allow(int call, const CallCondition& when = {})
    {
        if (call < 0) // This processor has none of that name.
            return;
        if (when.mask == 0) {
            add(SCMP_ACT_ALLOW, call, 0, {});
            return;
        }
        const auto value = when.value == ownProcess ? static_cast<scmp_datum_t>(::getpid()) : when.value;
        add(SCMP_ACT_ALLOW, call, 1, scmp_arg_cmp{when.argument, SCMP_CMP_MASKED_EQ, when.mask, value});
    }
    /// Where the answer is another than for most.
    void refuse(int call)
    {
        if (call >= 0 && m_refusal == Refusal::Error && refusedWith(m_role, call) != refusedWith(m_role, -1))
            add(refused(call), call, 0, {});
    }
    bool load() { return m_good && ::seccomp_load(m_filter.get()) == 0; }
    int listener() const { return ::seccomp_notify_fd(m_filter.get()); }

private:
    bool set(scmp_filter_attr attribute, std::uint32_t value)
    {
        return ::seccomp_attr_set(m_filter.get(), attribute, value) == 0;
    }
    std::uint32_t refused(int call) const
    {
        return m_refusal == Refusal::Marked      ? SCMP_ACT_ERRNO(markedError)
               : m_refusal == Refusal::Witnessed ? SCMP_ACT_NOTIFY
                                                 : SCMP_ACT_ERRNO(refusedWith(m_role, call));
    }
    void add(std::uint32_t action, int call, unsigned conditions, const scmp_arg_cmp& condition)
    {
        m_good =
            m_good && ::seccomp_rule_add_array(m_filter.get(), action, call, conditions, &condition) == 0;
    }

    LockedRole m_role;
    Refusal m_refusal;
    std::unique_ptr<void, decltype(&::seccomp_release)> m_filter;
    bool m_good = false;
};

std::set<int> numbersOf(std::span<const std::string_view> calls)
{
    std::set<int> numbers;
    for (const auto& call : calls)
        numbers.insert(numberOf(call));
    return numbers;
}

/// What a driver that needs more than callRules() gets on top of them.
void allowNotHarmful(Filter& filter)
{
    auto known = numbersOf(neverAllowed());
    for (const CallRule& rule : callRules())
        if (rule.allows(LockedRole::Gpu))
            known.insert(numberOf(rule.call));
    for (int call = 0; call <= lastKnownCall; ++call)
        if (!known.contains(call) && !(call > 334 && call < 424)) // numbers that no call has
            filter.allow(call);
    // Any kind of ioctl that differs from a terminal's in one bit.
    for (unsigned bit = 0; bit < kindBits; ++bit) {
        const std::uint64_t mask = 1u << (kindShift + bit);
        filter.allow(numberOf("ioctl"), {1, mask, ~(std::uint64_t(terminalKind) << kindShift) & mask});
    }
}

} // namespace

int refusedWith(LockedRole role, int call)
{
    const int denied = role == LockedRole::Gpu ? EPERM : EACCES; // so that libraries go on
    if (role != LockedRole::Gpu &&
        role != LockedRole::Script) // those start threads, for which there are two calls
        return denied;
    const auto isCall = [call](std::string_view name) { return call >= 0 && numberOf(name) == call; };
    const auto missing = answeredAsMissing();
    return call > lastKnownCall || std::any_of(missing.begin(), missing.end(), isCall) ? ENOSYS : denied;
}

Result<int> filterCalls(LockedRole role, CallList list, Refusal refusal)
{
    Filter filter(role, refusal);
    for (const CallRule& rule : callRules())
        if (rule.allows(role))
            filter.allow(numberOf(rule.call), rule.when);
#if SPARSERL_SANITIZED
    for (const char* call : {"pipe", "pipe2"}) // They look through one at whether memory can be read.
        filter.allow(numberOf(call));
#endif
    if (list == CallList::NotHarmful)
        allowNotHarmful(filter);
    for (const auto& call : answeredAsMissing())
        filter.refuse(numberOf(call));
    constexpr int newest = 511; // Libraries of the future try what this list does not know.
    for (int call = lastKnownCall + 1; call <= newest; ++call)
        filter.refuse(call);
    if (!filter.load())
        return fail("seccomp cannot be used on this machine",
                    "run on a kernel with seccomp: generated code is never run without it");
    return refusal == Refusal::Witnessed ? filter.listener() : -1;
}

} // namespace sparserl
