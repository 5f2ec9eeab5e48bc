//! Says so, instead of dying of an illegal instruction, when the program was built for a better processor than it runs on.
//!
//! The program is built for one kind of processor (`target-cpu`), and so, by optimisation at link time, is the part of the
//! standard library that runs before `main`. This therefore runs before both, among the program's initialisers, and
//! uses nothing but two functions of the C library. It was itself compiled for the better processor: that the compiler needs no vector for a
//! few comparisons is likely and was looked at, not guaranteed. Nor does it ask whether the operating system saves the
//! wide registers. Who wants certainty starts a build through `emilia-launch`, which is built for every x86-64 processor.

use std::arch::x86_64::{__cpuid, __cpuid_count};

// SAFETY: the section holds pointers to functions of this type, which the loader calls once before `main`. The function
// depends on nothing that is initialised later.
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = refuse_a_lesser_processor;

// SAFETY: the signatures are those of POSIX on this target; the C library is linked because the standard library needs it.
unsafe extern "C" {
    fn write(file: i32, bytes: *const u8, length: usize) -> isize;
    fn _exit(code: i32) -> !;
}

/// The standard error.
const ERRORS: i32 = 2;

extern "C" fn refuse_a_lesser_processor() {
    let Some(missing) = missing_instructions() else { return };
    for part in [
        "emilia: this program was built for processors with ",
        missing,
        ", which this one lacks. Build it here with `cargo build --release`, or take a distribution, whose `emilia` \
         starts the right build.\n",
    ] {
        // SAFETY: the pointer and the length are those of one string. Whether it could be written changes nothing.
        unsafe { write(ERRORS, part.as_ptr(), part.len()) };
    }
    // SAFETY: nothing has begun that would have to be ended.
    unsafe { _exit(1) }
}

/// The name of an instruction set that the build uses and this processor lacks, if there is one.
///
/// The macros of the standard library do not ask the processor about what the build takes for granted.
fn missing_instructions() -> Option<&'static str> {
    let basic = __cpuid(1).ecx;
    let structured = (__cpuid(0).eax >= 7).then(|| __cpuid_count(7, 0));
    let (structured_b, structured_c) = structured.map_or((0, 0), |leaf| (leaf.ebx, leaf.ecx));
    let extended = if __cpuid(0x8000_0000).eax > 0x8000_0000 { __cpuid(0x8000_0001).ecx } else { 0 };
    macro_rules! look {
        ($($feature:literal: $register:ident, $bit:literal;)*) => {
            $(if cfg!(target_feature = $feature) && $register & 1 << $bit == 0 {
                return Some($feature);
            })*
        };
    }
    // Bits as in the processors' manuals of the instruction CPUID.
    look! {
        "sse3": basic, 0;
        "ssse3": basic, 9;
        "fma": basic, 12;
        "sse4.1": basic, 19;
        "sse4.2": basic, 20;
        "movbe": basic, 22;
        "popcnt": basic, 23;
        "avx": basic, 28;
        "f16c": basic, 29;
        "lzcnt": extended, 5;
        "bmi1": structured_b, 3;
        "avx2": structured_b, 5;
        "bmi2": structured_b, 8;
        "avx512f": structured_b, 16;
        "avx512dq": structured_b, 17;
        "avx512cd": structured_b, 28;
        "avx512bw": structured_b, 30;
        "avx512vl": structured_b, 31;
        "avx512vbmi": structured_c, 1;
        "avx512vbmi2": structured_c, 6;
        "gfni": structured_c, 8;
        "avx512bitalg": structured_c, 12;
        "avx512vpopcntdq": structured_c, 14;
    }
    None
}
