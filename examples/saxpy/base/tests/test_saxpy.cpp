#include <gtest/gtest.h>

#include <vector>

#include "saxpy/saxpy.h"

TEST(Saxpy, AddsTheScaledVector) {
  std::vector<float> x{1, 2, 3}, y{10, 20, 30};

  saxpy(x.size(), 2.0f, x.data(), y.data());

  EXPECT_EQ(y, (std::vector<float>{12, 24, 36}));
}

TEST(Saxpy, TouchesNothingForNoElements) {
  float y = 7.0f;

  saxpy(0, 2.0f, nullptr, &y);

  EXPECT_EQ(y, 7.0f);
}

TEST(RowSum, SumsEachRow) {
  std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8}, sums(2);

  saxpy_row_sum(2, 4, x.data(), sums.data());

  EXPECT_EQ(sums, (std::vector<float>{10, 26}));
}

TEST(RowSum, CountsTheTailOfARow) {
  const size_t columns = 67;  // more than one wave, and no multiple of four
  std::vector<float> x(columns, 1.0f), sums(1);

  saxpy_row_sum(1, columns, x.data(), sums.data());

  EXPECT_EQ(sums[0], 67.0f);
}

TEST(MaxAbs, LooksAtNegativeValuesToo) {
  std::vector<float> x{1, -5, 3};

  EXPECT_EQ(saxpy_max_abs(x.size(), x.data()), 5.0f);
}
