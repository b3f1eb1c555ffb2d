// SPDX-License-Identifier: Apache-2.0
#include "ptx/opcodes.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <unordered_map>
#include <utility>

namespace sparserl::ptx {

namespace {

struct Named
{
    const char* name;
    Type type;
};
constexpr std::array<Named, 20> typeNames{
    {{"pred", Type::Pred}, {"b8", Type::B8},       {"b16", Type::B16},       {"b32", Type::B32},
     {"b64", Type::B64},   {"u8", Type::U8},       {"u16", Type::U16},       {"u32", Type::U32},
     {"u64", Type::U64},   {"s8", Type::S8},       {"s16", Type::S16},       {"s32", Type::S32},
     {"s64", Type::S64},   {"f32", Type::F32},     {"f64", Type::F64},       {"f16", Type::F16},
     {"bf16", Type::BF16}, {"f16x2", Type::F16x2}, {"bf16x2", Type::BF16x2}, {"tf32", Type::TF32}}};

std::string nameOf(Type type)
{
    for (const Named& entry : typeNames) {
        if (entry.type == type)
            return entry.name;
    }
    return {};
}

using Types = std::initializer_list<Type>;
constexpr auto integers = {Type::S16, Type::U16, Type::S32, Type::U32, Type::S64, Type::U64};
constexpr auto wideIntegers = {Type::S32, Type::U32, Type::S64, Type::U64};
constexpr auto bits = {Type::B16, Type::B32, Type::B64};

/// Collects forms family by family.
class Builder
{
public:
    std::vector<OpcodeForm> take()
    {
        std::sort(m_forms.begin(), m_forms.end(),
                  [](const OpcodeForm& a, const OpcodeForm& b) { return a.text < b.text; });
        return std::move(m_forms);
    }

    OpcodeForm& add(std::string text, Op op, Type type = Type::None)
    {
        OpcodeForm& form = m_forms.emplace_back();
        form.text = std::move(text);
        form.op = op;
        form.type = form.source = type;
        return form;
    }
    void each(const std::string& stem, Op op, Types types)
    {
        for (Type type : types)
            add(stem + "." + nameOf(type), op, type);
    }
    /// stem.f32, stem.ftz.f32, stem.f64, each also with `.rn` where the operation rounds.
    void floats(const std::string& stem, Op op, bool rounds, bool plain = true)
    {
        for (const char* rounding : {"", ".rn"}) {
            if (*rounding ? !rounds : !plain)
                continue;
            add(stem + rounding + ".f32", op, Type::F32);
            add(stem + rounding + ".ftz.f32", op, Type::F32).ftz = true;
            add(stem + rounding + ".f64", op, Type::F64);
        }
    }
    void approximate(const std::string& stem, Op op)
    {
        add(stem + ".f32", op, Type::F32);
        add(stem + ".ftz.f32", op, Type::F32).ftz = true;
    }

    void arithmetic();
    void bitwise();
    void comparisons();
    void moves();
    void conversions();
    void memory();
    void atomics();
    void warp();
    void control();
    void rounded();
    void halves();
    void dots();
    void matrices();
    void copies();

private:
    std::vector<OpcodeForm> m_forms;
};

void Builder::arithmetic()
{
    each("add", Op::Add, integers);
    each("sub", Op::Sub, integers);
    floats("add", Op::Add, true);
    floats("sub", Op::Sub, true);
    floats("mul", Op::Mul, true);
    each("mul.lo", Op::Mul, integers);
    each("mul.hi", Op::MulHi, integers);
    each("mul.wide", Op::MulWide, {Type::S16, Type::U16, Type::S32, Type::U32});
    each("mul24.lo", Op::Mul24, {Type::S32, Type::U32});
    each("mad.lo", Op::Mad, integers);
    each("mad.hi", Op::MadHi, wideIntegers);
    each("mad.wide", Op::MadWide, {Type::S16, Type::U16, Type::S32, Type::U32});
    floats("fma", Op::Fma, true, false);
    // expf and the intrinsics with a rounding in their names use these.
    for (const auto& [name, rounding] :
         {std::pair(".rz", Rounding::Rz), std::pair(".rm", Rounding::Rm), std::pair(".rp", Rounding::Rp)}) {
        for (const auto& [stem, op] : {std::pair("add", Op::Add), std::pair("sub", Op::Sub),
                                       std::pair("mul", Op::Mul), std::pair("fma", Op::Fma)}) {
            add(std::string(stem) + name + ".f32", op, Type::F32).rounding = rounding;
            OpcodeForm& form = add(std::string(stem) + name + ".ftz.f32", op, Type::F32);
            form.rounding = rounding;
            form.ftz = true;
        }
    }
    each("div", Op::Div, integers);
    each("rem", Op::Rem, integers);
    floats("div", Op::Div, true, false);
    approximate("div.approx", Op::DivApprox);
    approximate("div.full", Op::DivFull);
    each("abs", Op::Abs, {Type::S16, Type::S32, Type::S64});
    each("neg", Op::Neg, {Type::S16, Type::S32, Type::S64});
    floats("abs", Op::Abs, false);
    floats("neg", Op::Neg, false);
    each("min", Op::Min, integers);
    each("max", Op::Max, integers);
    floats("min", Op::Min, false);
    floats("max", Op::Max, false);
    approximate("min.NaN", Op::MinNaN);
    approximate("max.NaN", Op::MaxNaN);
    each("sad", Op::Sad, wideIntegers);
    for (Type type : wideIntegers) {
        const std::string name = nameOf(type);
        add("add.cc." + name, Op::AddCC, type);
        add("addc." + name, Op::AddC, type);
        add("addc.cc." + name, Op::AddCCC, type);
        add("sub.cc." + name, Op::SubCC, type);
        add("subc." + name, Op::SubC, type);
        add("subc.cc." + name, Op::SubCCC, type);
    }
    floats("rcp", Op::Rcp, true, false);
    floats("sqrt", Op::Sqrt, true, false);
    approximate("rcp.approx", Op::RcpApprox);
    approximate("sqrt.approx", Op::SqrtApprox);
    approximate("rsqrt.approx", Op::RsqrtApprox);
    add("rcp.approx.ftz.f64", Op::RcpApprox, Type::F64).ftz = true;
    add("rsqrt.approx.f64", Op::RsqrtApprox, Type::F64);
    approximate("ex2.approx", Op::Ex2);
    approximate("lg2.approx", Op::Lg2);
    approximate("sin.approx", Op::Sin);
    approximate("cos.approx", Op::Cos);
    add("tanh.approx.f32", Op::Tanh, Type::F32);
    each("copysign", Op::Copysign, {Type::F32, Type::F64});
    const std::pair<const char*, TestpKind> kinds[] = {
        {"finite", TestpKind::Finite},         {"infinite", TestpKind::Infinite},
        {"number", TestpKind::Number},         {"normal", TestpKind::Normal},
        {"notanumber", TestpKind::NotANumber}, {"subnormal", TestpKind::Subnormal}};
    for (const auto& [name, kind] : kinds) {
        for (Type type : {Type::F32, Type::F64})
            add(std::string("testp.") + name + "." + nameOf(type), Op::Testp, type).testp = kind;
    }
}

void Builder::bitwise()
{
    for (auto [name, op] : {std::pair("and", Op::And), std::pair("or", Op::Or), std::pair("xor", Op::Xor)})
        each(name, op, {Type::Pred, Type::B16, Type::B32, Type::B64});
    each("not", Op::Not, {Type::Pred, Type::B16, Type::B32, Type::B64});
    each("shl", Op::Shl, bits);
    each("shr", Op::Shr, bits);
    each("shr", Op::Shr, integers);
    add("shf.l.wrap.b32", Op::ShfLeftWrap, Type::B32);
    add("shf.l.clamp.b32", Op::ShfLeftClamp, Type::B32);
    add("shf.r.wrap.b32", Op::ShfRightWrap, Type::B32);
    add("shf.r.clamp.b32", Op::ShfRightClamp, Type::B32);
    each("bfe", Op::Bfe, wideIntegers);
    each("bfi", Op::Bfi, {Type::B32, Type::B64});
    each("bfind", Op::Bfind, wideIntegers);
    each("bfind.shiftamt", Op::BfindShift, wideIntegers);
    each("brev", Op::Brev, {Type::B32, Type::B64});
    each("popc", Op::Popc, {Type::B32, Type::B64});
    each("clz", Op::Clz, {Type::B32, Type::B64});
    add("prmt.b32", Op::Prmt, Type::B32);
    add("lop3.b32", Op::Lop3, Type::B32);
}

void Builder::comparisons()
{
    const std::pair<const char*, Cmp> ordered[] = {{"eq", Cmp::Eq}, {"ne", Cmp::Ne}, {"lt", Cmp::Lt},
                                                   {"le", Cmp::Le}, {"gt", Cmp::Gt}, {"ge", Cmp::Ge}};
    const std::pair<const char*, Cmp> unsignedNames[] = {
        {"lo", Cmp::Lt}, {"ls", Cmp::Le}, {"hi", Cmp::Gt}, {"hs", Cmp::Ge}};
    const std::pair<const char*, Cmp> unordered[] = {{"equ", Cmp::Equ}, {"neu", Cmp::Neu}, {"ltu", Cmp::Ltu},
                                                     {"leu", Cmp::Leu}, {"gtu", Cmp::Gtu}, {"geu", Cmp::Geu},
                                                     {"num", Cmp::Num}, {"nan", Cmp::Nan}};
    const std::pair<const char*, BoolOp> joins[] = {
        {"", BoolOp::None}, {".and", BoolOp::And}, {".or", BoolOp::Or}, {".xor", BoolOp::Xor}};
    auto forms = [&](const char* compare, Cmp cmp, Type type, bool ftz) {
        const std::string tail = (ftz ? ".ftz." : ".") + nameOf(type);
        for (const auto& [join, boolOp] : joins) {
            OpcodeForm& form = add(std::string("setp.") + compare + join + tail, Op::Setp, type);
            form.cmp = cmp;
            form.boolOp = boolOp;
            form.ftz = ftz;
        }
        for (Type destination : {Type::U32, Type::S32, Type::F32}) {
            OpcodeForm& form = add(std::string("set.") + compare + (ftz ? ".ftz." : ".") +
                                       nameOf(destination) + "." + nameOf(type),
                                   Op::Set, destination);
            form.source = type;
            form.cmp = cmp;
            form.ftz = ftz;
        }
    };
    for (const auto& [name, cmp] : ordered) {
        for (Type type : integers)
            forms(name, cmp, type, false);
        forms(name, cmp, Type::F32, false);
        forms(name, cmp, Type::F32, true);
        forms(name, cmp, Type::F64, false);
        if (cmp == Cmp::Eq || cmp == Cmp::Ne) {
            for (Type type : bits)
                forms(name, cmp, type, false);
        }
    }
    for (const auto& [name, cmp] : unsignedNames) {
        for (Type type : {Type::U16, Type::U32, Type::U64})
            forms(name, cmp, type, false);
    }
    for (const auto& [name, cmp] : unordered) {
        forms(name, cmp, Type::F32, false);
        forms(name, cmp, Type::F32, true);
        forms(name, cmp, Type::F64, false);
    }
    each("selp", Op::Selp, bits);
    each("selp", Op::Selp, integers);
    each("selp", Op::Selp, {Type::F32, Type::F64});
}

void Builder::moves()
{
    each("mov", Op::Mov, {Type::Pred, Type::B16, Type::B32, Type::B64, Type::F32, Type::F64});
    each("mov", Op::Mov, integers);
    const std::pair<const char*, Space> spaces[] = {{"global", Space::Global},
                                                    {"shared", Space::Shared},
                                                    {"local", Space::Local},
                                                    {"const", Space::Const}};
    for (const auto& [name, space] : spaces) {
        add(std::string("cvta.") + name + ".u64", Op::Cvta, Type::U64).space = space;
        add(std::string("cvta.to.") + name + ".u64", Op::CvtaTo, Type::U64).space = space;
        add(std::string("isspacep.") + name, Op::Isspacep, Type::U64).space = space;
    }
}

void Builder::conversions()
{
    const Types all = {Type::U8, Type::S8, Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64};
    auto conversion = [&](const std::string& modifiers, Type to, Type from) -> OpcodeForm& {
        OpcodeForm& form = add("cvt" + modifiers + "." + nameOf(to) + "." + nameOf(from), Op::Cvt, to);
        form.source = from;
        return form;
    };
    const std::pair<const char*, Rounding> toFloat[] = {
        {".rn", Rounding::Rn}, {".rz", Rounding::Rz}, {".rm", Rounding::Rm}, {".rp", Rounding::Rp}};
    const std::pair<const char*, Rounding> toIntegral[] = {
        {".rni", Rounding::Rni}, {".rzi", Rounding::Rzi}, {".rmi", Rounding::Rmi}, {".rpi", Rounding::Rpi}};
    for (Type to : all) {
        for (Type from : all) {
            conversion("", to, from);
            // The assembler refuses .sat where every value fits.
            const int gained = bytesOf(to) - bytesOf(from);
            const bool fits = isSigned(to) == isSigned(from) ? gained >= 0 : isSigned(to) && gained > 0;
            if (!fits)
                conversion(".sat", to, from).saturate = true;
        }
    }
    for (Type integer : all) {
        for (Type floating : {Type::F32, Type::F64}) {
            for (const auto& [name, rounding] : toFloat)
                conversion(name, floating, integer).rounding = rounding;
            for (const auto& [name, rounding] : toIntegral) {
                conversion(name, integer, floating).rounding = rounding;
                if (floating == Type::F32) {
                    OpcodeForm& form = conversion(std::string(name) + ".ftz", integer, floating);
                    form.rounding = rounding;
                    form.ftz = true;
                }
            }
        }
    }
    for (const auto& [name, rounding] : toIntegral) {
        conversion(name, Type::F32, Type::F32).rounding = rounding;
        conversion(name, Type::F64, Type::F64).rounding = rounding;
        OpcodeForm& form = conversion(std::string(name) + ".ftz", Type::F32, Type::F32);
        form.rounding = rounding;
        form.ftz = true;
    }
    for (const auto& [name, rounding] : toFloat)
        conversion(name, Type::F32, Type::F64).rounding = rounding;
    conversion("", Type::F64, Type::F32);
    conversion(".sat", Type::F32, Type::F32).saturate = true;
    conversion(".sat", Type::F64, Type::F64).saturate = true;
    OpcodeForm& form = conversion(".ftz.sat", Type::F32, Type::F32);
    form.saturate = true;
    form.ftz = true;
}

void Builder::memory()
{
    const Types types = {Type::B8,  Type::B16, Type::B32, Type::B64, Type::U8,  Type::U16, Type::U32,
                         Type::U64, Type::S8,  Type::S16, Type::S32, Type::S64, Type::F32, Type::F64};
    struct Kind
    {
        const char* text;
        Space space;
        bool load, store;
        bool nonCoherent = false;
        Order order = Order::Weak;
        Scope scope = Scope::None;
        bool vectors = true;
    };
    const Kind kinds[] = {
        {".global", Space::Global, true, true},
        {".global.nc", Space::Global, true, false, true},
        {".global.ca.nc", Space::Global, true, false, true},
        {".global.cg.nc", Space::Global, true, false, true},
        {".global.cs.nc", Space::Global, true, false, true},
        {".global.ca", Space::Global, true, false},
        {".global.cg", Space::Global, true, true},
        {".global.cs", Space::Global, true, true},
        {".global.lu", Space::Global, true, false},
        {".global.cv", Space::Global, true, false, false, Order::Volatile},
        {".global.wb", Space::Global, false, true},
        {".global.wt", Space::Global, false, true, false, Order::Volatile},
        {".volatile.global", Space::Global, true, true, false, Order::Volatile},
        {".volatile.shared", Space::Shared, true, true, false, Order::Volatile},
        {".volatile", Space::Generic, true, true, false, Order::Volatile},
        {".const", Space::Const, true, false},
        {".shared", Space::Shared, true, true},
        {".local", Space::Local, true, true},
        {".param", Space::Param, true, true},
        {"", Space::Generic, true, true},
        {".ca", Space::Generic, true, false},
        {".cg", Space::Generic, true, true},
        {".cs", Space::Generic, true, true},
    };
    const std::pair<const char*, int> vectors[] = {{"", 1}, {".v2", 2}, {".v4", 4}};
    auto forms = [&](const Kind& kind) {
        for (const auto& [vectorName, vector] : vectors) {
            if (vector > 1 && !kind.vectors)
                continue;
            for (Type type : types) {
                if (vector * bytesOf(type) > 16)
                    continue;
                for (bool load : {true, false}) {
                    if (!(load ? kind.load : kind.store))
                        continue;
                    OpcodeForm& form =
                        add(std::string(load ? "ld" : "st") + kind.text + vectorName + "." + nameOf(type),
                            load ? Op::Ld : Op::St, type);
                    form.space = kind.space;
                    form.vector = vector;
                    form.nonCoherent = kind.nonCoherent;
                    form.order = kind.order;
                    form.scope = kind.scope;
                }
            }
        }
    };
    for (const Kind& kind : kinds)
        forms(kind);
    const std::pair<const char*, Scope> scopes[] = {
        {".cta", Scope::Cta}, {".gpu", Scope::Gpu}, {".sys", Scope::Sys}};
    for (const auto& [scopeName, scope] : scopes) {
        for (const auto& [spaceName, space] :
             {std::pair("", Space::Generic), std::pair(".global", Space::Global),
              std::pair(".shared", Space::Shared)}) {
            const std::string relaxed = std::string(".relaxed") + scopeName + spaceName;
            const std::string acquire = std::string(".acquire") + scopeName + spaceName;
            const std::string release = std::string(".release") + scopeName + spaceName;
            forms({relaxed.c_str(), space, true, true, false, Order::Relaxed, scope, false});
            forms({acquire.c_str(), space, true, false, false, Order::Acquire, scope, false});
            forms({release.c_str(), space, false, true, false, Order::Release, scope, false});
        }
    }
}

void Builder::atomics()
{
    struct Kind
    {
        const char* name;
        AtomOp op;
        Types types;
        bool reduces;
    };
    const Kind kinds[] = {
        {"add", AtomOp::Add, {Type::U32, Type::S32, Type::U64, Type::F32, Type::F64}, true},
        {"cas", AtomOp::Cas, {Type::B16, Type::B32, Type::B64}, false},
        {"exch", AtomOp::Exch, {Type::B32, Type::B64}, false},
        {"min", AtomOp::Min, {Type::U32, Type::S32, Type::U64, Type::S64}, true},
        {"max", AtomOp::Max, {Type::U32, Type::S32, Type::U64, Type::S64}, true},
        {"and", AtomOp::And, {Type::B32, Type::B64}, true},
        {"or", AtomOp::Or, {Type::B32, Type::B64}, true},
        {"xor", AtomOp::Xor, {Type::B32, Type::B64}, true},
        {"inc", AtomOp::Inc, {Type::U32}, true},
        {"dec", AtomOp::Dec, {Type::U32}, true},
    };
    const std::pair<const char*, Order> orders[] = {{"", Order::Relaxed},
                                                    {".relaxed", Order::Relaxed},
                                                    {".acquire", Order::Acquire},
                                                    {".release", Order::Release},
                                                    {".acq_rel", Order::AcqRel}};
    const std::pair<const char*, Scope> scopes[] = {
        {"", Scope::Gpu}, {".cta", Scope::Cta}, {".gpu", Scope::Gpu}, {".sys", Scope::Sys}};
    const std::pair<const char*, Space> spaces[] = {
        {"", Space::Generic}, {".global", Space::Global}, {".shared", Space::Shared}};
    for (const Kind& kind : kinds) {
        for (const auto& [orderName, order] : orders) {
            for (const auto& [scopeName, scope] : scopes) {
                for (const auto& [spaceName, space] : spaces) {
                    for (Type type : kind.types) {
                        // PTX allows two orders of these modifiers: .sem.scope.space and, from nvcc,
                        // .space.sem.scope.
                        std::vector<std::string> texts{std::string(orderName) + scopeName + spaceName};
                        if (*spaceName && (*orderName || *scopeName))
                            texts.push_back(std::string(spaceName) + orderName + scopeName);
                        for (const std::string& text : texts) {
                            for (bool red : {false, true}) {
                                if (red &&
                                    (!kind.reduces || order == Order::Acquire || order == Order::AcqRel))
                                    continue;
                                OpcodeForm& form =
                                    add((red ? "red" : "atom") + text + "." + kind.name + "." + nameOf(type),
                                        red ? Op::Red : Op::Atom, type);
                                form.atom = kind.op;
                                form.order = order;
                                form.scope = scope;
                                form.space = space;
                            }
                        }
                    }
                }
            }
        }
    }
}

void Builder::warp()
{
    add("shfl.sync.up.b32", Op::ShflUp, Type::B32);
    add("shfl.sync.down.b32", Op::ShflDown, Type::B32);
    add("shfl.sync.bfly.b32", Op::ShflBfly, Type::B32);
    add("shfl.sync.idx.b32", Op::ShflIdx, Type::B32);
    add("vote.sync.any.pred", Op::VoteAny, Type::Pred);
    add("vote.sync.all.pred", Op::VoteAll, Type::Pred);
    add("vote.sync.uni.pred", Op::VoteUni, Type::Pred);
    add("vote.sync.ballot.b32", Op::VoteBallot, Type::B32);
    for (Type type : {Type::B32, Type::B64}) {
        add("match.any.sync." + nameOf(type), Op::MatchAny, type);
        add("match.all.sync." + nameOf(type), Op::MatchAll, type);
    }
    add("activemask.b32", Op::Activemask, Type::B32);
    for (Type type : {Type::S32, Type::U32}) {
        add("redux.sync.add." + nameOf(type), Op::ReduxAdd, type);
        add("redux.sync.min." + nameOf(type), Op::ReduxMin, type);
        add("redux.sync.max." + nameOf(type), Op::ReduxMax, type);
    }
    add("redux.sync.and.b32", Op::ReduxAnd, Type::B32);
    add("redux.sync.or.b32", Op::ReduxOr, Type::B32);
    add("redux.sync.xor.b32", Op::ReduxXor, Type::B32);
    add("bar.warp.sync", Op::BarWarpSync);
}

void Builder::control()
{
    // Without .aligned, "barrier" may be met by part of a warp. Here it may not: the simulator runs it as the
    // aligned form, so a warp that meets it in parts is a synchronisation error. Cooperative groups use it
    // for whole blocks.
    using Stem = std::pair<std::string, std::string>;
    for (const auto& [base, aligned] :
         {Stem("bar", ""), Stem("bar.cta", ""), Stem("barrier", ".aligned"), Stem("barrier", "")}) {
        add(base + ".sync" + aligned, Op::BarSync);
        add(base + ".arrive" + aligned, Op::BarArrive);
        add(base + ".red.popc" + aligned + ".u32", Op::BarRedPopc, Type::U32);
        add(base + ".red.and" + aligned + ".pred", Op::BarRedAnd, Type::Pred);
        add(base + ".red.or" + aligned + ".pred", Op::BarRedOr, Type::Pred);
    }
    const std::pair<const char*, Scope> barriers[] = {
        {"membar.cta", Scope::Cta}, {"membar.gl", Scope::Gpu}, {"membar.sys", Scope::Sys}};
    for (const auto& [text, scope] : barriers)
        add(text, Op::Fence).scope = scope;
    for (const char* order : {"sc", "acq_rel"}) {
        for (const auto& [name, scope] :
             {std::pair("cta", Scope::Cta), std::pair("gpu", Scope::Gpu), std::pair("sys", Scope::Sys)})
            add(std::string("fence.") + order + "." + name, Op::Fence).scope = scope;
    }
    add("bra", Op::Bra);
    add("bra.uni", Op::Bra);
    add("call", Op::Call);
    add("call.uni", Op::Call);
    add("ret", Op::Ret);
    add("ret.uni", Op::Ret);
    add("exit", Op::Exit);
    add("trap", Op::Trap);
}

/// Directed rounding beyond what Builder::arithmetic has.
void Builder::rounded()
{
    for (const auto& [name, rounding] :
         {std::pair(".rz", Rounding::Rz), std::pair(".rm", Rounding::Rm), std::pair(".rp", Rounding::Rp)}) {
        for (const auto& [stem, op] :
             {std::pair("div", Op::Div), std::pair("rcp", Op::Rcp), std::pair("sqrt", Op::Sqrt)}) {
            add(std::string(stem) + name + ".f32", op, Type::F32).rounding = rounding;
            OpcodeForm& form = add(std::string(stem) + name + ".ftz.f32", op, Type::F32);
            form.rounding = rounding;
            form.ftz = true;
        }
        for (const auto& [stem, op] :
             {std::pair("add", Op::Add), std::pair("sub", Op::Sub), std::pair("mul", Op::Mul),
              std::pair("fma", Op::Fma), std::pair("div", Op::Div), std::pair("rcp", Op::Rcp),
              std::pair("sqrt", Op::Sqrt)})
            add(std::string(stem) + name + ".f64", op, Type::F64).rounding = rounding;
    }
}

/// What compute_80 knows of f16, bf16 and tf32.
void Builder::halves()
{
    const auto conversion = [&](const std::string& text, Op op, Type to, Type from, Rounding rounding) {
        OpcodeForm& form = add(text, op, to);
        form.source = from;
        form.rounding = rounding;
    };
    conversion("cvt.f32.f16", Op::Cvt, Type::F32, Type::F16, Rounding::None);
    conversion("cvt.rna.tf32.f32", Op::Cvt, Type::TF32, Type::F32, Rounding::None);
    for (const auto& [name, rounding] : {std::pair("rn", Rounding::Rn), std::pair("rz", Rounding::Rz)}) {
        const std::string stem = std::string("cvt.") + name;
        conversion(stem + ".f16.f32", Op::Cvt, Type::F16, Type::F32, rounding);
        conversion(stem + ".bf16.f32", Op::Cvt, Type::BF16, Type::F32, rounding);
        conversion(stem + ".f16x2.f32", Op::CvtPair, Type::F16x2, Type::F32, rounding);
        conversion(stem + ".bf16x2.f32", Op::CvtPair, Type::BF16x2, Type::F32, rounding);
    }
    for (Type type : {Type::F16, Type::F16x2}) {
        for (const auto& [stem, op] :
             {std::pair("add", Op::Add), std::pair("sub", Op::Sub), std::pair("mul", Op::Mul)}) {
            for (const char* rounding : {"", ".rn"}) {
                add(std::string(stem) + rounding + "." + nameOf(type), op, type);
                add(std::string(stem) + rounding + ".ftz." + nameOf(type), op, type).ftz = true;
            }
        }
        for (const auto& [stem, op] :
             {std::pair("fma.rn", Op::Fma), std::pair("neg", Op::Neg), std::pair("abs", Op::Abs),
              std::pair("min", Op::Min), std::pair("max", Op::Max)}) {
            add(std::string(stem) + "." + nameOf(type), op, type);
            add(std::string(stem) + ".ftz." + nameOf(type), op, type).ftz = true;
        }
    }
    for (Type type : {Type::BF16, Type::BF16x2}) {
        for (const auto& [stem, op] :
             {std::pair("fma.rn", Op::Fma), std::pair("neg", Op::Neg), std::pair("abs", Op::Abs),
              std::pair("min", Op::Min), std::pair("max", Op::Max)})
            add(std::string(stem) + "." + nameOf(type), op, type);
    }
}

void Builder::dots()
{
    for (Type a : {Type::S32, Type::U32}) {
        for (Type b : {Type::S32, Type::U32}) {
            const std::string types = "." + nameOf(a) + "." + nameOf(b);
            add("dp4a" + types, Op::Dp4a, a).source = b;
            add("dp2a.lo" + types, Op::Dp2aLo, a).source = b;
            add("dp2a.hi" + types, Op::Dp2aHi, a).source = b;
        }
    }
    add("vabsdiff4.u32.u32.u32", Op::AbsDiff4, Type::U32);
    add("vabsdiff4.u32.u32.u32.add", Op::AbsDiff4, Type::U32).saturate = true;
    add("vabsdiff2.u32.u32.u32", Op::AbsDiff2, Type::U32);
    add("vabsdiff2.u32.u32.u32.add", Op::AbsDiff2, Type::U32).saturate = true;
}

/// Tensor cores as compute_80 has them, for the types that sums in single precision can use.
void Builder::matrices()
{
    const auto mma = [&](const std::string& text, Type type, Type sums, MatrixShape shape) {
        OpcodeForm& form = add("mma.sync.aligned." + text, Op::Mma, sums);
        form.source = type;
        form.matrix = shape;
    };
    mma("m16n8k4.row.col.f32.tf32.tf32.f32", Type::TF32, Type::F32, {16, 8, 4, 4, 2, 1, 4, false});
    mma("m16n8k8.row.col.f32.tf32.tf32.f32", Type::TF32, Type::F32, {16, 8, 8, 4, 4, 2, 4, false});
    for (const auto& [name, type] : {std::pair("f16", Type::F16), std::pair("bf16", Type::BF16)}) {
        const std::string types = std::string(".row.col.f32.") + name + "." + name + ".f32";
        mma("m16n8k8" + types, type, Type::F32, {16, 8, 8, 4, 2, 1, 4, false});
        mma("m16n8k16" + types, type, Type::F32, {16, 8, 16, 4, 4, 2, 4, false});
    }
    mma("m16n8k8.row.col.f16.f16.f16.f16", Type::F16, Type::F16, {16, 8, 8, 2, 2, 1, 2, false});
    mma("m16n8k16.row.col.f16.f16.f16.f16", Type::F16, Type::F16, {16, 8, 16, 2, 4, 2, 2, false});
    mma("m8n8k4.row.col.f64.f64.f64.f64", Type::F64, Type::F64, {8, 8, 4, 2, 1, 1, 2, false});
    for (int count : {1, 2, 4}) {
        for (const bool transposed : {false, true}) {
            OpcodeForm& form = add("ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                                       (transposed ? ".trans" : "") + ".shared.b16",
                                   Op::LdMatrix, Type::B32);
            form.space = Space::Shared;
            form.matrix.k = count;
            form.matrix.transposed = transposed;
        }
    }
}

void Builder::copies()
{
    for (const char* cache : {"ca", "cg"}) {
        OpcodeForm& form = add(std::string("cp.async.") + cache + ".shared.global", Op::CpAsync, Type::B8);
        form.space = Space::Global;
        form.vector = std::string_view(cache) == "cg" ? 16 : 4; // the least number of bytes
    }
    add("cp.async.commit_group", Op::CpAsyncCommit);
    add("cp.async.wait_group", Op::CpAsyncWaitGroup);
    add("cp.async.wait_all", Op::CpAsyncWaitAll);
    for (const char* level : {"L1", "L2"}) {
        add(std::string("prefetch.global.") + level, Op::Prefetch).space = Space::Global;
        add(std::string("prefetch.") + level, Op::Prefetch).space = Space::Generic;
    }
}

std::vector<OpcodeForm> buildTable()
{
    Builder builder;
    builder.arithmetic();
    builder.bitwise();
    builder.comparisons();
    builder.moves();
    builder.conversions();
    builder.memory();
    builder.atomics();
    builder.warp();
    builder.control();
    builder.rounded();
    builder.halves();
    builder.dots();
    builder.matrices();
    builder.copies();
    return builder.take();
}

} // namespace

const std::vector<OpcodeForm>& allOpcodes()
{
    static const std::vector<OpcodeForm> table = buildTable();
    return table;
}

namespace {

/// Without hints about caches, which change no result: ".L1::no_allocate", ".L2::128B" and their like on
/// loads and stores. Empty where there are none, or something that is not one.
std::string withoutHints(std::string_view text)
{
    static const std::string_view hints[] = {".L1::evict_normal", ".L1::evict_unchanged",
                                             ".L1::evict_first",  ".L1::evict_last",
                                             ".L1::no_allocate",  ".L2::64B",
                                             ".L2::128B",         ".L2::256B"};
    if (text.find("::") == std::string_view::npos ||
        (!text.starts_with("ld") && !text.starts_with("st.") && !text.starts_with("cp.async.")))
        return {};
    std::string plain(text);
    for (const std::string_view hint : hints) {
        if (const std::size_t at = plain.find(hint);
            at != std::string::npos && (at + hint.size() == plain.size() || plain[at + hint.size()] == '.'))
            plain.erase(at, hint.size());
    }
    // ld.shared::cta is ld.shared.
    if (const std::size_t at = plain.find(".shared::cta"); at != std::string::npos)
        plain.erase(at + 7, 5);
    return plain;
}

} // namespace

const OpcodeForm* findOpcode(std::string_view text)
{
    static const std::unordered_map<std::string_view, const OpcodeForm*> index = [] {
        std::unordered_map<std::string_view, const OpcodeForm*> map;
        for (const OpcodeForm& form : allOpcodes())
            map.emplace(form.text, &form);
        return map;
    }();
    auto found = index.find(text);
    if (found == index.end())
        found = index.find(withoutHints(text));
    return found == index.end() ? nullptr : found->second;
}

std::optional<SpecialRegister> findSpecialRegister(std::string_view name)
{
    using S = SpecialRegister;
    static const std::unordered_map<std::string_view, S> index = {{"%tid.x", S::TidX},
                                                                  {"%tid.y", S::TidY},
                                                                  {"%tid.z", S::TidZ},
                                                                  {"%ntid.x", S::NtidX},
                                                                  {"%ntid.y", S::NtidY},
                                                                  {"%ntid.z", S::NtidZ},
                                                                  {"%ctaid.x", S::CtaidX},
                                                                  {"%ctaid.y", S::CtaidY},
                                                                  {"%ctaid.z", S::CtaidZ},
                                                                  {"%nctaid.x", S::NctaidX},
                                                                  {"%nctaid.y", S::NctaidY},
                                                                  {"%nctaid.z", S::NctaidZ},
                                                                  {"%laneid", S::LaneId},
                                                                  {"%lanemask_eq", S::LanemaskEq},
                                                                  {"%lanemask_le", S::LanemaskLe},
                                                                  {"%lanemask_lt", S::LanemaskLt},
                                                                  {"%lanemask_ge", S::LanemaskGe},
                                                                  {"%lanemask_gt", S::LanemaskGt},
                                                                  {"WARP_SZ", S::WarpSize}};
    const auto found = index.find(name);
    return found == index.end() ? std::nullopt : std::optional(found->second);
}

bool isSpecialRegisterName(std::string_view name)
{
    static const std::string_view stems[] = {"%tid",
                                             "%ntid",
                                             "%ctaid",
                                             "%nctaid",
                                             "%laneid",
                                             "%lanemask",
                                             "%warpid",
                                             "%nwarpid",
                                             "%smid",
                                             "%nsmid",
                                             "%gridid",
                                             "%clock",
                                             "%pm",
                                             "%envreg",
                                             "%globaltimer",
                                             "%reserved_smem",
                                             "%total_smem",
                                             "%dynamic_smem",
                                             "%aggr_smem",
                                             "%cluster",
                                             "%is_explicit_cluster",
                                             "%current_graph_exec",
                                             "%nclusterid"};
    return std::any_of(std::begin(stems), std::end(stems), [&](std::string_view stem) {
        if (name.substr(0, stem.size()) != stem)
            return false;
        const std::string_view tail = name.substr(stem.size());
        const auto ordinary = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '$';
        };
        return tail.empty() || !ordinary(tail.front());
    });
}

} // namespace sparserl::ptx
