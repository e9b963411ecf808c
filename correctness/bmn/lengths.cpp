// How long games are: the share of shuffled deals with so many turns or more, beside the longest
// games that the text found; a picture for the family's page. The games are those of seed 1, so
// that it is the same everywhere.
#include <fmt/format.h>

#include <cmath>

#include "correctness/bmn/oracle.h"
#include "kernels/bmn/bmn.h"
#include "perf/report/pictures.h"
#include "perf/support/svg.h"

namespace ratchet::bmn {
namespace {

using svg::Axis;
using svg::Drawing;
using svg::Point;

constexpr std::uint64_t kDeals = 1'000'000;
constexpr const char* style =
    ".curve{fill:none;stroke:#0072b2;stroke-width:2}.law{stroke:#0072b2;stroke-dasharray:5 4}"
    ".text{stroke:#d55e00;fill:#d55e00}.known{stroke:#009e73;fill:#009e73}.small{font-size:10px}";

std::vector<std::uint64_t> lengths_of_games() {
  const auto& stage = dynamic_cast<const BmnStage&>(*find_stage("bmn/cpu/04_planes"));
  Parameters parameters = stage.defaults();
  parameters.set("deals", kDeals);
  const auto table = stage.prepare_table(parameters);
  table->run();
  table->wait();
  const Result result = table->collect();
  return {result.lengths.begin(), result.lengths.end()};
}

class Plot {
 public:
  Plot()
      : drawing_(900, 420, style),
        x_(0, 9000, 70, 860, Axis::Scale::linear),
        y_(1e-12, 1, 350, 50, Axis::Scale::decimal) {}

  void axes() {
    drawing_.text({70, 28}, "start", "How long a game is", " class=\"title\"");
    for (const double tick : x_.ticks()) {
      drawing_.line({x_.at(tick), 350}, {x_.at(tick), 50}, "grid");
      drawing_.text({x_.at(tick), 368}, "middle", fmt::format("{:.0f}", tick));
    }
    for (int power = 0; power >= -12; power -= 2) {
      drawing_.line({70, y_.at(std::pow(10, power))}, {860, y_.at(std::pow(10, power))}, "grid");
      drawing_.text({62, y_.at(std::pow(10, power)) + 4}, "end", fmt::format("1e{}", power));
    }
    drawing_.text({465, 390}, "middle", "turns");
    drawing_.text({70, 408}, "start",
                  fmt::format("share of {} shuffled deals (seed 1) with so many turns or more; "
                              "dashed: by the rate of fall from 1000 to 2000 turns",
                              kDeals),
                  " class=\"small\"");
  }
  void curve(const std::vector<std::uint64_t>& lengths) {
    std::vector<Point> points;
    std::uint64_t longer = 0;
    for (unsigned bin = kBins; bin-- > 0;) {
      longer += lengths[bin];
      if (longer > 0)
        points.push_back({x_.at(bin_start(bin)), y_.at(static_cast<double>(longer) / kDeals)});
    }
    drawing_.polyline(points, "curve");
    // P(>= 1000) and P(>= 2000) of 4e7 deals.
    const double at_1000 = 9.79e-3, at_2000 = 7.4e-5;
    const auto law = [&](double turns) {
      return at_1000 * std::pow(at_2000 / at_1000, (turns - 1000) / 1000);
    };
    const double last = 1000 + 1000 * std::log(1e-12 / at_1000) / std::log(at_2000 / at_1000);
    drawing_.line({x_.at(1000), y_.at(law(1000))}, {x_.at(last), y_.at(1e-12)}, "law");
  }
  void mark(double turns, const std::string& name, const char* css_class, double height) {
    drawing_.line({x_.at(turns), 350}, {x_.at(turns), height}, css_class);
    drawing_.text({x_.at(turns), height - 5}, "middle", name, " class=\"small\"");
  }
  std::string document() const { return drawing_.document(); }

 private:
  Drawing drawing_;
  Axis x_, y_;
};

std::string lengths() {
  Plot plot;
  plot.axes();
  plot.curve(lengths_of_games());
  double best = 0;
  for (const OracleRow& row : oracle("bmn_document_deals.tsv"))
    best = std::max(best, std::stod(row.at("doc_turns")));
  plot.mark(best, fmt::format("the text's best, {:.0f}", best), "text", 200);
  plot.mark(8344, "longest known that ends, 8344", "known", 150);
  return plot.document();
}

const report::PictureRegistration registered{"bmn", "lengths.svg", &lengths};

}  // namespace
}  // namespace ratchet::bmn
