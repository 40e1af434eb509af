// The results of several runs that measured one thing, as mean and standard deviation.
#pragma once

#include <cmath>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "base/json_writer.h"

namespace llmd::client {

class Figure {
public:
    void add(double value) { values_.push_back(value); }
    // 0 of none.
    double mean() const {
        double sum = 0;
        for (const double value : values_) sum += value;
        return values_.empty() ? 0 : sum / static_cast<double>(values_.size());
    }
    // The standard deviation of the sample; 0 of fewer than two values.
    double deviation() const {
        double sum = 0;
        for (const double value : values_) sum += (value - mean()) * (value - mean());
        return values_.size() < 2 ? 0 : std::sqrt(sum / static_cast<double>(values_.size() - 1));
    }
    // "12.3 ± 0.4"
    std::string text() const {
        std::ostringstream out;
        out << std::fixed << std::setprecision(1) << mean() << " ± " << deviation();
        return out.str();
    }
    // {"mean": 12.3, "deviation": 0.4}
    void write(base::JsonWriter& json) const {
        json.begin_object().key("mean").value(mean()).key("deviation").value(deviation()).end_object();
    }

private:
    std::vector<double> values_;
};

}  // namespace llmd::client
