// What only a GPU can show.
#include <gtest/gtest.h>

#include <vector>

#include "saxpy/saxpy.h"

TEST(Device, IsThere) { ASSERT_GT(saxpy_devices(), 0); }

TEST(Device, SumsARowLongerThanABlock) {
  std::vector<float> x(4096, 0.5f), sums(1);

  saxpy_row_sum(1, x.size(), x.data(), sums.data());

  EXPECT_EQ(sums[0], 2048.0f);
}
