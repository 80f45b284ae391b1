//! A driver or a tool, wherever it lives.

use crate::components::{Asks, CallError, RunComponent, ToolInput, ToolResult};
use crate::composed::ComposedPart;
use crate::{CapsuleHandle, Error};

/// What can be called.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// It has a store of its own for every call.
    Own(RunComponent),
    /// It is a part of the capsule's own component.
    Composed(ComposedPart),
}

impl Part {
    /// Calls it with these data.
    ///
    /// # Errors
    ///
    /// The outer one is [`Error::Stopped`].
    pub(super) async fn call(
        &self,
        data: String,
        capsule: &CapsuleHandle,
        asks: Option<Asks>,
    ) -> Result<Result<ToolResult, CallError>, Error> {
        let input = ToolInput { data: Some(data), log_path: None };
        match self {
            Self::Own(component) => Ok(component.call(&input, capsule.feed(), asks).await),
            Self::Composed(part) => capsule.run_composed(part.clone(), input).await.map(Ok),
        }
    }
}
