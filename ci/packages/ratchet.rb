# The program as a formula of Homebrew on Linux: brew install --build-from-source ./ratchet.rb
# `ci/lab release` fills in what stands between two @; OWNER is where ratchet's repository lies.
class Ratchet < Formula
  desc "Performance-regression gate for benchmark programs"
  homepage "https://github.com/OWNER/ratchet"
  url "https://github.com/OWNER/ratchet/releases/download/v@VERSION@/ratchet-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "boost" => :build
  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "elfutils"
  depends_on "fmt"
  depends_on :linux
  depends_on "sqlite"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DRATCHET_TOOL_ONLY=ON", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ratchet --version")
  end
end
