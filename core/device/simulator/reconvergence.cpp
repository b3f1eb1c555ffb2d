// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/kernel_code.h"

#include <algorithm>

namespace sparserl::sim {

namespace {

struct Block
{
    std::uint32_t begin = 0, end = 0;
    std::vector<int> successors, predecessors;
};

std::vector<Block> blocksOf(const std::vector<Insn>& code, std::vector<int>& blockAt)
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
    std::vector<Block> blocks;
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

/// A branch to the kernel's end is an exit: lanes that take it are gone at once. Waiting for the others at
/// the end instead would make them look alive to shuffles and votes that name the whole warp.
void turnBranchesToTheEndIntoExits(std::vector<Insn>& code)
{
    for (Insn& insn : code) {
        if (insn.kind != Kind::Branch)
            continue;
        std::uint32_t at = insn.target;
        for (std::size_t hops = 0; hops < code.size() && at < code.size(); ++hops) {
            if (code[at].kind != Kind::Branch || code[at].guarded)
                break;
            at = code[at].target;
        }
        if (at < code.size() && code[at].kind == Kind::Exit && !code[at].guarded)
            insn.kind = Kind::Exit;
    }
}

/// Immediate post-dominators of the blocks that reach `root` and have no number yet. Numbers go on from those
/// given before, so that they stay different.
void meetAt(int root, const std::vector<Block>& blocks, const std::vector<char>& reachable,
            std::vector<int>& number, std::vector<int>& post)
{
    std::vector<int> order;
    std::vector<char> seen(blocks.size(), 0);
    std::vector<std::pair<int, std::size_t>> stack{{root, 0}};
    seen[root] = 1;
    const int first =
        static_cast<int>(std::count_if(number.begin(), number.end(), [](int n) { return n >= 0; }));
    while (!stack.empty()) {
        auto& [b, next] = stack.back();
        if (next < blocks[b].predecessors.size()) {
            const int p = blocks[b].predecessors[next++];
            if (!seen[p] && reachable[p] && number[p] < 0) {
                seen[p] = 1;
                stack.push_back({p, 0});
            }
        } else {
            number[b] = first + static_cast<int>(order.size());
            order.push_back(b);
            stack.pop_back();
        }
    }
    // Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", on the reversed graph.
    post[root] = root;
    auto meet = [&](int a, int b) {
        while (a != b) {
            while (number[a] < number[b])
                a = post[a];
            while (number[b] < number[a])
                b = post[b];
        }
        return a;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            if (*it == root)
                continue;
            int found = -1;
            for (int next : blocks[*it].successors) {
                if (!seen[next] || post[next] < 0)
                    continue;
                found = found < 0 ? next : meet(found, next);
            }
            if (found >= 0 && post[*it] != found) {
                post[*it] = found;
                changed = true;
            }
        }
    }
}

} // namespace

void placeReconvergence(std::vector<Insn>& code)
{
    turnBranchesToTheEndIntoExits(code);
    const auto nowhere = static_cast<std::uint32_t>(code.size());
    for (Insn& insn : code) {
        insn.reconverge = nowhere;
        insn.join = false;
    }
    if (code.empty())
        return;
    std::vector<int> blockAt;
    const std::vector<Block> blocks = blocksOf(code, blockAt);
    const int count = static_cast<int>(blocks.size());

    std::vector<char> reachable(count, 0);
    std::vector<int> work{0};
    reachable[0] = 1;
    while (!work.empty()) {
        const int b = work.back();
        work.pop_back();
        for (int next : blocks[b].successors) {
            if (!reachable[next]) {
                reachable[next] = 1;
                work.push_back(next);
            }
        }
    }
    // The last way out is where everything meets; blocks that end a thread elsewhere are left out, so that a
    // return inside an if does not move the meeting point of the others. Blocks that never get there (one
    // side of a branch that does its own work and returns) meet at the last way out of their own.
    std::vector<int> number(count, -1), post(count, -1);
    for (int root = count - 1; root >= 0; --root) {
        if (reachable[root] && blocks[root].successors.empty() && number[root] < 0)
            meetAt(root, blocks, reachable, number, post);
    }
    for (int b = 0; b < count; ++b) {
        Insn& last = code[blocks[b].end - 1];
        if (last.kind != Kind::Branch || !last.guarded || post[b] < 0 || post[b] == b)
            continue;
        last.reconverge = blocks[post[b]].begin;
        code[last.reconverge].join = true;
    }
}

} // namespace sparserl::sim
