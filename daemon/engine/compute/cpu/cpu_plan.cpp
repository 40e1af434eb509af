#include "engine/compute/cpu/cpu_plan.h"

namespace llmd::compute {
namespace {

using model::Operation;
using model::Operator;

}  // namespace

base::Result<std::vector<Sweep>> lower_to_sweeps(std::span<const Operation> operations, const CpuWeights& weights) {
    using Form = Sweep::Form;
    std::vector<Sweep> sweeps;
    size_t next = 0;
    const auto is_next = [&](Operator op) { return next < operations.size() && operations[next].op == op; };
    const auto take_if = [&](Operator op) { return is_next(op) && (++next, true); };
    while (next < operations.size()) {
        const Operation& first = operations[next];
        Sweep& sweep = sweeps.emplace_back(Sweep{.layer = first.layer, .in = first.in, .out = first.out});
        const auto bias = [&](const Operation& operation) {
            return operation.bias ? weights.vector(*operation.bias, operation.layer) : nullptr;
        };
        switch (first.op) {
            case Operator::Embed:
                sweep.form = Form::Embed;
                ++next;
                break;
            case Operator::Norm:
                sweep.form = Form::Norm;
                sweep.norm_weight = weights.vector(first.weight, first.layer);
                sweep.norm_bias = bias(first);
                ++next;
                break;
            case Operator::Matmul:
                for (; is_next(Operator::Matmul) && operations[next].in == first.in; ++next) {
                    const Operation& matmul = operations[next];
                    sweep.parts.push_back({weights.matrix(matmul.weight, matmul.layer), bias(matmul), matmul.out});
                }
                sweep.form = take_if(Operator::Activate) ? Form::MatmulActivate
                             : take_if(Operator::Add)    ? Form::MatmulAdd
                                                         : Form::Matmul;
                break;
            case Operator::HeadNorm:
            case Operator::Rotate:
            case Operator::StoreKv:
                sweep.form = Form::RotateStore;
                for (; is_next(Operator::HeadNorm) || is_next(Operator::Rotate); ++next) {
                    const Operation& operation = operations[next];
                    if (operation.op == Operator::Rotate) continue;
                    (operation.out == model::Operand::Query ? sweep.query_weight : sweep.key_weight) =
                        weights.vector(operation.weight, operation.layer);
                }
                if (take_if(Operator::StoreKv)) break;
                [[fallthrough]];
            case Operator::Activate:
                return base::fail(base::ErrorCode::DeviceError, "operation ", next,
                                  " of the model is one that the CPU "
                                  "computes only behind another");
            case Operator::Add:
                sweep.form = Form::Add;
                ++next;
                break;
            case Operator::Attend:
                sweep.form = Form::Attend;
                ++next;
                break;
            case Operator::Convolve:
                sweep.form = Form::Convolve;
                sweep.taps = weights.vector(first.weight, first.layer);
                ++next;
                break;
        }
    }
    return sweeps;
}

}  // namespace llmd::compute
