//! Whether this machine has what the program was built for.

/// The name of an instruction set that the program was built to use and that this processor lacks, if there is one.
///
/// The program is built for one kind of processor (`target-cpu`), and on a lesser one dies of the first instruction that
/// is not there. This looks before the work begins. It cannot promise more than that: it was itself compiled for that
/// processor, and so was what runs before it, though nothing there has a use for vectors. Whether the operating system saves the
/// wide registers is not looked at. Builds for others start through the program `emilia-launch`, which is built for every
/// x86-64 processor.
#[inline(never)]
pub(super) fn missing_instructions() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__cpuid, __cpuid_count};
        // The macros of the standard library do not ask the processor about what the build takes for granted.
        let highest = __cpuid(0).eax;
        let basic = __cpuid(1);
        let structured = if highest >= 7 { Some(__cpuid_count(7, 0)) } else { None };
        let (b7, c7) = structured.map_or((0, 0), |leaf| (leaf.ebx, leaf.ecx));
        let extended = if __cpuid(0x8000_0000).eax >= 0x8000_0001 { __cpuid(0x8000_0001).ecx } else { 0 };
        let lacks = |register: u32, bit: u32| register >> bit & 1 == 0;
        macro_rules! look {
            ($($feature:literal: $register:expr, $bit:literal;)*) => {
                $(if cfg!(target_feature = $feature) && lacks($register, $bit) {
                    return Some($feature);
                })*
            };
        }
        // Bits as in the manuals of the instruction CPUID.
        look! {
            "sse3": basic.ecx, 0;
            "ssse3": basic.ecx, 9;
            "fma": basic.ecx, 12;
            "sse4.1": basic.ecx, 19;
            "sse4.2": basic.ecx, 20;
            "movbe": basic.ecx, 22;
            "popcnt": basic.ecx, 23;
            "avx": basic.ecx, 28;
            "f16c": basic.ecx, 29;
            "lzcnt": extended, 5;
            "bmi1": b7, 3;
            "avx2": b7, 5;
            "bmi2": b7, 8;
            "avx512f": b7, 16;
            "avx512dq": b7, 17;
            "avx512cd": b7, 28;
            "avx512bw": b7, 30;
            "avx512vl": b7, 31;
            "avx512vbmi": c7, 1;
            "avx512vbmi2": c7, 6;
            "gfni": c7, 8;
            "avx512bitalg": c7, 12;
            "avx512vpopcntdq": c7, 14;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_runs_the_tests_has_what_they_were_built_for() {
        assert_eq!(missing_instructions(), None);
    }
}
