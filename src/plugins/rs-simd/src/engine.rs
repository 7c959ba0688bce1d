//! The crate's engine for each of ecbench's dispatch levels.

use std::ffi::CStr;

#[derive(Clone, Copy)]
pub enum Level {
    Native,
    Scalar,
    Ssse3,
    Avx2,
}

impl Level {
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "native" => Some(Self::Native),
            "scalar" => Some(Self::Scalar),
            "ssse3" => Some(Self::Ssse3),
            "avx2" => Some(Self::Avx2),
            _ => None,
        }
    }

    pub fn engine(self) -> &'static CStr {
        match self {
            Self::Native => default_engine(),
            Self::Scalar => c"NoSimd",
            Self::Ssse3 => c"Ssse3",
            Self::Avx2 => c"Avx2",
        }
    }
}

/// The name of the engine that the crate's DefaultEngine chooses on x86. The crate has no function that returns this name, but
/// its documentation gives the order in which DefaultEngine tries the engines. Like this function, DefaultEngine detects the CPU's
/// instructions with the crate cpufeatures.
fn default_engine() -> &'static CStr {
    cpufeatures::new!(has_avx2, "avx2");
    cpufeatures::new!(has_ssse3, "ssse3");
    if has_avx2::get() {
        c"Avx2"
    } else if has_ssse3::get() {
        c"Ssse3"
    } else {
        c"NoSimd"
    }
}
