// SPDX-License-Identifier: Apache-2.0
#include "search/funnel.h"

#include "base/hash.h"
#include "kernel/plan.h"
#include "kernel/plan_key.h"
#include "kernel/verifier.h"
#include "source/lexer.h"

namespace sparserl {

namespace {

/// Of plan and tokens: equal for texts that differ in blanks and comments only.
std::string sameHash(const KernelProgram& program)
{
    std::string same = planKey(program.plan) + '\n';
    for (const Token& token : cudaTokens(program.code)) {
        if (token.kind == Token::Kind::Comment)
            continue;
        same += token.text;
        same += token.kind == Token::Kind::Directive ? '\n' : ' ';
    }
    return sha256Hex(same);
}

} // namespace

bool Funnel::admit(const std::string& text)
{
    ++m_counts.proposed;
    const auto program = parseProgram(text);
    if (!program) {
        ++m_counts.refused;
        return false;
    }
    if (!m_texts.insert(sameHash(*program)).second) {
        ++m_counts.repeated;
        return false;
    }
    IncrementalVerifier verifier;
    if (verifier.feed(text) || verifier.finish()) {
        ++m_counts.refused;
        return false;
    }
    return true;
}

void Funnel::remember(const std::string& text)
{
    if (const auto program = parseProgram(text))
        m_texts.insert(sameHash(*program));
}

void Funnel::goOn(std::int64_t proposed, std::int64_t repeated, std::int64_t refused)
{
    m_counts.proposed = proposed;
    m_counts.repeated = repeated;
    m_counts.refused = refused;
}

void Funnel::count(const SearchedProgram& program)
{
    ++m_counts.judged;
    m_counts.compiled += isCompiled(program.verdict) ? 1 : 0;
    m_counts.fresh += program.fresh ? 1 : 0;
    m_counts.correct += program.fresh && program.correct() ? 1 : 0;
}

std::string runKey(const std::string& text, const VerdictRecord& record)
{
    const auto program = parseProgram(text);
    if (!program || record.ptxHash.empty())
        return {};
    return sha256Hex(planKey(program->plan)) + record.ptxHash;
}

} // namespace sparserl
