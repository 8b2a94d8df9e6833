// SPDX-FileCopyrightText: 2026 the assay authors
// SPDX-License-Identifier: MIT
//
// A region as a scope: it begins where a guard is made and ends where the scope does, however it
// is left.
//
//     c++ -std=c++17 -O2 region.cpp $(pkg-config --cflags --libs libassay) && ./a.out
#include <assay.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

namespace
{

struct Close {
    void operator()(assay_calipers *calipers) const
    {
        assay_calipers_close(calipers);
    }
};
using Calipers = std::unique_ptr<assay_calipers, Close>;

Calipers open_calipers(const std::vector<const char *> &events, unsigned flags)
{
    assay_calipers *calipers = nullptr;
    if (assay_calipers_open(&calipers, events.data(), events.size(), flags) < 0)
        throw std::runtime_error(assay_last_error());
    Calipers owned(calipers);
    if (assay_calibrate() < 0)
        throw std::runtime_error(assay_last_error());
    return owned;
}

// Always inlined, so that what stands in the region is what stood there when it was calibrated.
class Region
{
  public:
    __attribute__((always_inline)) explicit Region(assay_region &region) : region_(region)
    {
        assay_begin();
    }
    __attribute__((always_inline)) ~Region()
    {
        assay_end_in(&region_);
    }
    Region(const Region &) = delete;
    Region &operator=(const Region &) = delete;

  private:
    assay_region &region_;
};

assay_region filling = ASSAY_REGION("filling");

bool fill(std::vector<int> &values, int most)
{
    Region region(filling);
    for (int value = 0;; value++) {
        if (value == most)
            return true; // the region ends here, too
        values.push_back(value);
    }
}

} // namespace

int main()
{
    try {
        const std::vector<const char *> events = {"page-faults:u", "ticks"};
        Calipers calipers = open_calipers(events, 0);
        std::vector<int> values;
        for (int round = 0; round < 10; round++)
            fill(values, 1000);
        for (std::size_t i = 0; i < events.size(); i++) {
            struct assay_region_total total;
            if (assay_total(filling.name, i, &total) < 0)
                throw std::runtime_error(assay_last_error());
            if (total.state == ASSAY_UNSUPPORTED)
                std::printf("%s: not counted: %s\n", events[i],
                            assay_calipers_reason(calipers.get(), i));
            else
                std::printf("%s: %.0f +- %.0f in %llu regions\n", events[i], total.corrected,
                            total.uncertainty, static_cast<unsigned long long>(total.regions));
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
