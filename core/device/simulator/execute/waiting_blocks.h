// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/execute/warp.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>

namespace sparserl::sim {

/// The blocks that have started but are not running, in the order in which they stopped.
class WaitingBlocks
{
public:
    std::size_t size() const { return m_blocks.size() + m_parked.size(); }
    bool firstHasTicket() const { return !parkedIsNext() && m_blocks.begin()->second->ticket; }
    void add(std::unique_ptr<BlockContext> block)
    {
        if (block->preempted && !block->ticket) {
            // All other blocks get several turns first.
            const std::uint64_t until = m_taken + 4 * size();
            m_parked.emplace_back(until, std::move(block));
            return;
        }
        if (block->ticket)
            m_tickets.emplace(block->now, m_next);
        m_blocks.emplace(m_next++, std::move(block));
    }
    std::unique_ptr<BlockContext> takeFirst()
    {
        ++m_taken;
        if (!parkedIsNext())
            return take(m_blocks.begin());
        std::unique_ptr<BlockContext> block = std::move(m_parked.front().second);
        m_parked.pop_front();
        return block;
    }
    /// Takes out the block that `which` selects.
    std::unique_ptr<BlockContext> take(std::uint64_t which)
    {
        std::size_t at = which % size();
        if (at < m_blocks.size())
            return take(std::next(m_blocks.begin(), static_cast<std::ptrdiff_t>(at)));
        at -= m_blocks.size();
        std::unique_ptr<BlockContext> block = std::move(m_parked[at].second);
        m_parked.erase(m_parked.begin() + static_cast<std::ptrdiff_t>(at));
        return block;
    }
    /// Takes out the block with the earliest time among the blocks with tickets. If several have the same
    /// time, takes the one that stopped first.
    std::unique_ptr<BlockContext> takeEarliest()
    {
        ++m_taken;
        return take(m_blocks.find(m_tickets.begin()->second));
    }

private:
    using Blocks = std::map<std::uint64_t, std::unique_ptr<BlockContext>>;
    bool parkedIsNext() const
    {
        return m_blocks.empty() || (!m_parked.empty() && m_parked.front().first <= m_taken);
    }
    std::unique_ptr<BlockContext> take(Blocks::iterator at)
    {
        if (at->second->ticket)
            m_tickets.erase({at->second->now, at->first});
        return std::move(m_blocks.extract(at).mapped());
    }
    Blocks m_blocks;
    std::set<std::pair<float, std::uint64_t>> m_tickets;
    /// Parked blocks, each with the end of its parking time.
    std::deque<std::pair<std::uint64_t, std::unique_ptr<BlockContext>>> m_parked;
    std::uint64_t m_next = 0, m_taken = 0;
};

/// Decides which block is held back, and whether the other blocks still make progress without it. Some
/// faults, such as a grid barrier that counts too few blocks, occur only if one block is much later than all
/// others. They appear in nearly every schedule with such a late block, and hardly ever in other schedules
/// (probabilistic concurrency testing, Burckhardt et al. 2010).
class LateBlocks
{
public:
    static constexpr std::uint32_t none = ~0u;

    void hold(std::uint32_t number) { m_number = number; }
    std::uint32_t number() const { return m_number; }
    /// Reports a turn of a block other than the late one. `didSomething` is false if the block only polled.
    void turn(bool didSomething, std::uint64_t steps)
    {
        m_idle = didSomething ? 0 : m_idle + 1;
        m_idleSteps = didSomething ? 0 : m_idleSteps + steps;
        m_busySteps += didSomething ? steps : 0;
    }
    /// Sets how many steps the other blocks may spend polling while the first late block is held back. The
    /// limit is 16 times the steps of their useful turns, if that is less. A program that gives up waiting
    /// after a thousand polls does so while the block is still held back, and its fault shows.
    void setPatience(std::uint64_t steps) { m_patience = steps; }
    /// Returns true if all `others` have started, have not ended, and make no progress.
    bool stuck(std::size_t others) const
    {
        const bool patient = m_released == 0 && m_idleSteps < std::min(m_patience, 16 * m_busySteps);
        return m_idle > 2 * others + 64 && !patient;
    }
    void release()
    {
        m_number = none;
        m_idle = 0;
        m_idleSteps = 0;
        ++m_released;
    }
    int released() const { return m_released; }

private:
    std::uint32_t m_number = none;
    std::size_t m_idle = 0;
    std::uint64_t m_idleSteps = 0, m_busySteps = 0, m_patience = 0;
    int m_released = 0;
};

} // namespace sparserl::sim
