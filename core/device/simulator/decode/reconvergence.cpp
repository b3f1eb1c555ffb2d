// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/decode/flow_graph.h"

#include <algorithm>

namespace sparserl::sim {

namespace {

/// A branch to the kernel's end is an exit: lanes that take it are gone at once. Waiting for the others at
/// the end instead would make them look alive to shuffles and votes that name the whole warp.
void turnBranchesToTheEndIntoExits(std::vector<Insn>& code)
{
    // Where each chain of branches ends, found once.
    constexpr std::uint32_t unknown = ~0u;
    std::vector<std::uint32_t> ends(code.size(), unknown), chain;
    for (Insn& insn : code) {
        if (insn.kind != Kind::Branch)
            continue;
        chain.clear();
        std::uint32_t at = insn.target;
        while (at < code.size() && ends[at] == unknown && code[at].kind == Kind::Branch &&
               !code[at].guarded) {
            ends[at] = at; // of a circle
            chain.push_back(at);
            at = code[at].target;
        }
        if (at < code.size() && ends[at] != unknown)
            at = ends[at];
        for (const std::uint32_t link : chain)
            ends[link] = at;
        if (at < code.size() && code[at].kind == Kind::Exit && !code[at].guarded)
            insn.kind = Kind::Exit;
    }
}

/// Immediate post-dominators of the blocks that reach `root` and have no number yet. Numbers go on from those
/// given before, so that they stay different: `first` is the next. `effort` is what may still be done; false
/// where that is not enough. `seenFrom`: the root that saw a block last.
bool meetAt(int root, const std::vector<CodeBlock>& blocks, const std::vector<char>& reachable,
            std::vector<int>& number, std::vector<int>& post, std::vector<int>& seenFrom, int& first,
            std::uint64_t& effort)
{
    std::vector<int> order;
    std::vector<std::pair<int, std::size_t>> stack{{root, 0}};
    seenFrom[root] = root;
    while (!stack.empty()) {
        auto& [b, next] = stack.back();
        if (next < blocks[b].predecessors.size()) {
            const int p = blocks[b].predecessors[next++];
            if (seenFrom[p] != root && reachable[p] && number[p] < 0) {
                seenFrom[p] = root;
                stack.push_back({p, 0});
            }
        } else {
            number[b] = first++;
            order.push_back(b);
            stack.pop_back();
        }
    }
    // Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", on the reversed graph.
    post[root] = root;
    auto meet = [&](int a, int b) {
        while (a != b && effort) {
            --effort;
            int& lower = number[a] < number[b] ? a : b;
            lower = post[lower];
        }
        return a;
    };
    for (bool changed = true; changed && effort;) {
        changed = false;
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            if (*it == root)
                continue;
            effort -= effort ? 1 : 0;
            int found = -1;
            for (int next : blocks[*it].successors) {
                if (seenFrom[next] != root || post[next] < 0)
                    continue;
                found = found < 0 ? next : meet(found, next);
            }
            if (found >= 0 && post[*it] != found) {
                post[*it] = found;
                changed = true;
            }
        }
    }
    return effort > 0;
}

} // namespace

bool placeReconvergence(std::vector<Insn>& code)
{
    turnBranchesToTheEndIntoExits(code);
    const auto nowhere = static_cast<std::uint32_t>(code.size());
    for (Insn& insn : code) {
        insn.reconverge = nowhere;
        insn.join = false;
    }
    if (code.empty())
        return true;
    std::vector<int> blockAt;
    const std::vector<CodeBlock> blocks = blocksOf(code, blockAt);
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
    std::vector<int> number(count, -1), post(count, -1), seenFrom(count, -1);
    int numbered = 0;
    std::uint64_t effort = 20'000'000; // a large program needs thousands
    for (int root = count - 1; root >= 0; --root) {
        if (reachable[root] && blocks[root].successors.empty() && number[root] < 0 &&
            !meetAt(root, blocks, reachable, number, post, seenFrom, numbered, effort))
            return false;
    }
    for (int b = 0; b < count; ++b) {
        Insn& last = code[blocks[b].end - 1];
        if (last.kind != Kind::Branch || !last.guarded || post[b] < 0 || post[b] == b)
            continue;
        last.reconverge = blocks[post[b]].begin;
        code[last.reconverge].join = true;
    }
    return true;
}

} // namespace sparserl::sim
