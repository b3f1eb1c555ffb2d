// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/decode/flow_graph.h"

#include <algorithm>

namespace sparserl::sim {

std::vector<CodeBlock> blocksOf(const std::vector<Insn>& code, std::vector<int>& blockAt)
{
    std::vector<char> leader(code.size() + 1, 0);
    leader[0] = 1;
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (code[i].kind == Kind::Branch) {
            leader[code[i].target] = 1;
            leader[i + 1] = 1;
        } else if (code[i].kind == Kind::Exit && !code[i].guarded) {
            leader[i + 1] = 1;
        }
    }
    std::vector<CodeBlock> blocks;
    blockAt.assign(code.size() + 1, -1);
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (leader[i])
            blocks.push_back({i, i, {}, {}});
        blockAt[i] = static_cast<int>(blocks.size()) - 1;
        blocks.back().end = i + 1;
    }
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const Insn& last = code[blocks[b].end - 1];
        auto link = [&](std::uint32_t at) {
            if (at >= code.size())
                return;
            blocks[b].successors.push_back(blockAt[at]);
            blocks[blockAt[at]].predecessors.push_back(static_cast<int>(b));
        };
        if (last.kind == Kind::Branch) {
            link(last.target);
            if (last.guarded)
                link(blocks[b].end);
        } else if (last.kind != Kind::Exit || last.guarded) {
            link(blocks[b].end);
        }
    }
    return blocks;
}

std::vector<std::uint32_t> readBeforeWritten(const std::vector<Insn>& code, std::vector<RegisterUse> uses,
                                             std::uint32_t count)
{
    constexpr std::uint32_t nobody = ~0u;
    std::vector<int> blockAt;
    const std::vector<CodeBlock> blocks = blocksOf(code, blockAt);
    // In the order of execution: an instruction reads before it writes.
    std::stable_sort(uses.begin(), uses.end(), [](const RegisterUse& a, const RegisterUse& b) {
        return a.instruction != b.instruction ? a.instruction < b.instruction : a.write < b.write;
    });
    // By register: blocks that read what came before them, and blocks that write in any case.
    struct Place
    {
        std::uint32_t number;
        int block;
        bool operator<(const Place& other) const { return number < other.number; }
    };
    std::vector<Place> asks, settles;
    std::vector<int> settledIn(count, -1), askedIn(count, -1);
    for (const RegisterUse& use : uses) {
        const int block = blockAt[use.instruction];
        if (settledIn[use.number] == block)
            continue;
        if (!use.write && askedIn[use.number] != block) {
            askedIn[use.number] = block;
            asks.push_back({use.number, block});
        } else if (use.write && !code[use.instruction].guarded) {
            settledIn[use.number] = block;
            settles.push_back({use.number, block});
        }
    }
    std::stable_sort(asks.begin(), asks.end());
    std::stable_sort(settles.begin(), settles.end());
    std::vector<std::uint32_t> result, settledFor(blocks.size(), nobody), seenFor(blocks.size(), nobody);
    std::vector<int> work;
    std::uint64_t effort = 64 * (code.size() + 4096);
    auto settled = settles.begin();
    for (auto ask = asks.begin(); ask != asks.end();) {
        const std::uint32_t number = ask->number;
        for (; settled != settles.end() && settled->number <= number; ++settled)
            settledFor[settled->block] = settled->number;
        // Backwards from every block that asks, until something settles the question.
        bool unwritten = false;
        work.clear();
        for (; ask != asks.end() && ask->number == number; ++ask) {
            seenFor[ask->block] = number;
            work.push_back(ask->block);
        }
        while (!work.empty() && !unwritten) {
            const int block = work.back();
            work.pop_back();
            unwritten = block == 0 || effort == 0;
            for (const int before : blocks[block].predecessors) {
                effort -= effort ? 1 : 0;
                if (seenFor[before] == number || settledFor[before] == number)
                    continue;
                seenFor[before] = number;
                work.push_back(before);
            }
        }
        if (unwritten)
            result.push_back(number);
    }
    return result;
}

} // namespace sparserl::sim
