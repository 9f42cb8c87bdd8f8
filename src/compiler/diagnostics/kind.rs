//! What the compiler's messages say. Its errors have no numbers, so they are known by their texts; this is the only
//! place that compares them.

/// What a message says, as far as anything depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// The parser expected something else.
    Expected(Expected),
    UnclosedComment,
    UnclosedQuote,
    UnrecognizedToken,
    /// A type is missing, or a name is not that of a type.
    TypeMissing,
    /// Something outside functions is not a declaration.
    NoDeclaration,
    NoEffect,
    UndefinedName,
    /// A name is declared a second time in one scope.
    DeclaredAgain,
    /// A name is declared as something else than before.
    DeclaredOtherwise,
    /// A function or variable is defined a second time.
    DefinedAgain,
    NoMember,
    NoMemberOfNamespace,
    /// What stands before `::`, or as a namespace, is not known as one.
    NoNamespace,
    /// A value must be known at compile time and is not.
    NotConstant,
    VariableLengthArray,
    /// An argument's type is not that of its parameter.
    WrongArgument,
    /// A value's type is not that of what it is assigned to.
    WrongAssignment,
    /// A value's type is not that of what it initialises.
    WrongInitialiser,
    /// Another message about the type of a value.
    WrongValue,
    /// A reference does not fit what it refers to.
    WrongReference,
    NoOperator,
    NoOverload,
    AmbiguousOverload,
    /// A function has another number of parameters.
    WrongCount,
    /// A call has fewer arguments than the function needs.
    TooFewArguments,
    /// A macro has more arguments than it takes.
    MacroArguments,
    /// No conversion leads from one type to another.
    NoConversion,
    /// What is called is not a function.
    NoFunction,
    NotModifiable,
    NotIntegral,
    NotPointer,
    NotClass,
    /// `->` is applied to something that is not a pointer.
    ArrowWithoutPointer,
    /// A variable in shared memory has an initial value.
    SharedInitialiser,
    /// Of a declaration that was taken for a structured binding.
    StructuredBinding,
    NoInitialiser,
    KernelReturnsValue,
    WrongReturnType,
    /// `__global__` stands before something that cannot be a kernel.
    GlobalAttribute,
    /// Device code calls a host function.
    HostFunction,
    /// A launch in device code, which is not possible here.
    DeviceLaunch,
    /// What a launch is given to run is not a kernel.
    LaunchOfNoKernel,
    /// A launch passes an object with a copy constructor or a destructor of its own.
    ObjectPassed,
    /// A format string and its arguments differ.
    Format,
    /// The same, where an argument is a `std::string`.
    FormatOfString,
    Exceptions,
    /// The initial value of a variable is not known at compile time.
    DynamicInitialiser,
    /// The same for a variable in shared memory.
    DynamicSharedInitialiser,
    /// A texture reference or surface reference, which CUDA 12 has no longer.
    ImageReference,
    /// A name before `<` that is not that of a template.
    NoTemplate,
    OutOfMemory,
    /// What an `#error` directive says.
    ErrorDirective,
    /// The assembler wants a GPU of that architecture.
    NeedsHopper,
    Other,
}

/// What the parser expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Declaration,
    Statement,
    Semicolon,
    ClosingBrace,
    ClosingBracket,
    Other,
}

/// How a message begins that only goes with another about the same launch.
pub(super) const LAUNCH_BUFFER: &str = "A pointer to local memory was stored into the parameter buffer";

/// How a message is known.
enum Text {
    Whole(&'static str),
    Begins(&'static str),
    Has(&'static str),
    BeginsAndHas(&'static str, &'static str),
    BeginsAndEnds(&'static str, &'static str),
}

/// The first row that fits counts.
const TABLE: &[(Text, MessageKind)] = {
    use MessageKind::*;
    use Text::*;
    &[
        (Begins("#error"), ErrorDirective),
        (Whole("expected a declaration"), Expected(self::Expected::Declaration)),
        (Whole("expected a statement"), Expected(self::Expected::Statement)),
        (Whole("expected a \";\""), Expected(self::Expected::Semicolon)),
        (Whole("expected a \"]\""), Expected(self::Expected::ClosingBracket)),
        (Begins("expected a \"}\""), Expected(self::Expected::ClosingBrace)),
        (Begins("expected "), Expected(self::Expected::Other)),
        (Begins("comment unclosed"), UnclosedComment),
        (Begins("missing closing quote"), UnclosedQuote),
        (Whole("unrecognized token"), UnrecognizedToken),
        (Begins("explicit type is missing"), TypeMissing),
        (Begins("this declaration has no storage class or type specifier"), NoDeclaration),
        (Whole("expression has no effect"), NoEffect),
        (BeginsAndEnds("identifier ", " is undefined"), UndefinedName),
        (Has("has already been declared in the current scope"), DeclaredAgain),
        (Begins("declaration is incompatible with "), DeclaredOtherwise),
        (Has("has already been defined"), DefinedAgain),
        (BeginsAndHas("namespace ", " has no member "), NoMemberOfNamespace),
        (Begins("name followed by \"::\" must be "), NoNamespace),
        (Whole("name must be a namespace name"), NoNamespace),
        (Has(" has no member "), NoMember),
        (Begins("expression must have a constant value"), NotConstant),
        (Begins("a variable length array is not allowed"), VariableLengthArray),
        (BeginsAndHas("argument of type", "incompatible with parameter"), WrongArgument),
        (Has("cannot be assigned to an entity"), WrongAssignment),
        (Has("cannot be used to initialize an entity"), WrongInitialiser),
        (Begins("a value of type"), WrongValue),
        (Begins("a reference of type"), WrongReference),
        (Begins("no operator"), NoOperator),
        (Begins("no instance of overloaded function"), NoOverload),
        (Begins("no instance of function template"), NoOverload),
        (Begins("more than one instance of overloaded function"), AmbiguousOverload),
        (Begins("number of"), WrongCount),
        (Begins("too few arguments in function call"), TooFewArguments),
        (Begins("too many arguments in invocation of macro"), MacroArguments),
        (Begins("no suitable constructor exists to convert"), NoConversion),
        (Begins("no suitable conversion function"), NoConversion),
        (Begins("expression preceding parentheses of apparent call"), NoFunction),
        (Begins("expression must be a modifiable lvalue"), NotModifiable),
        (Begins("expression must have integral or unscoped enum type"), NotIntegral),
        (Begins("expression must have pointer-to-object type"), NotPointer),
        (Begins("expression must have class type"), NotClass),
        (Begins("operator -> or ->* applied to"), ArrowWithoutPointer),
        (Begins("initializer not allowed for __shared__ variable"), SharedInitialiser),
        (Has("structured binding"), StructuredBinding),
        (Whole("missing initializer"), NoInitialiser),
        (Begins("a __global__ function must have a void return type"), KernelReturnsValue),
        (Begins("return value type does not match the function type"), WrongReturnType),
        (Begins("attribute \"__global__\" does not apply"), GlobalAttribute),
        (Begins("A function explicitly marked as a __host__ function"), HostFunction),
        (Begins("device-side kernel launch could not be processed"), DeviceLaunch),
        (Whole("a function that is not __global__ cannot be launched"), LaunchOfNoKernel),
        (
            BeginsAndHas("cannot pass an argument with a user-provided", "to a device-side kernel launch"),
            ObjectPassed,
        ),
        (
            BeginsAndHas(
                "argument is incompatible with corresponding format string",
                "argument has type \"std::string\"",
            ),
            FormatOfString,
        ),
        (Begins("argument is incompatible with corresponding format string conversion"), Format),
        (Has("not support exception handling"), Exceptions),
        (
            Begins("dynamic initialization is not supported for a function-scope static __shared__"),
            DynamicSharedInitialiser,
        ),
        (Begins("dynamic initialization is not supported"), DynamicInitialiser),
        (Whole("texture is not a template"), ImageReference),
        (Whole("surface is not a template"), ImageReference),
        (BeginsAndEnds("", " is not a template"), NoTemplate),
        (Whole("out of memory"), OutOfMemory),
        (Has("requires .target sm_90 or higher"), NeedsHopper),
    ]
};

impl Text {
    fn fits(&self, message: &str) -> bool {
        match self {
            Text::Whole(text) => message == *text,
            Text::Begins(text) => message.starts_with(text),
            Text::Has(text) => message.contains(text),
            Text::BeginsAndHas(begin, inside) => message.starts_with(begin) && message.contains(inside),
            Text::BeginsAndEnds(begin, end) => message.starts_with(begin) && message.ends_with(end),
        }
    }
}

impl MessageKind {
    /// Returns what a message says.
    pub fn of(message: &str) -> MessageKind {
        let row = TABLE.iter().find(|(text, _)| text.fits(message));
        row.map_or(MessageKind::Other, |(_, kind)| *kind)
    }
}

/// A message, taken apart.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    text: &'a str,
    pub kind: MessageKind,
    /// What stands in quotation marks: names and types.
    pub quoted: Vec<&'a str>,
}

/// A library of CUDA's in whose headers an error may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderLibrary {
    Cub,
    Thrust,
    /// libcu++
    Cuda,
}

impl<'a> Message<'a> {
    pub fn of(text: &'a str) -> Message<'a> {
        Message { text, kind: MessageKind::of(text), quoted: text.split('"').skip(1).step_by(2).collect() }
    }

    /// Returns whether the message has this word.
    pub fn names(&self, word: &str) -> bool {
        cpp::names(self.text).any(|name| name == word)
    }

    /// Returns the types of an argument and of its parameter, under the names that show whether they are pointers.
    pub fn argument_and_parameter(&self) -> Option<(&'a str, &'a str)> {
        // In `"cudaStream_t" (aka "CUstream_st *")` the second name is the underlying type.
        let (before, _) = self.text.split_once("incompatible with parameter")?;
        let first = before.matches('"').count() / 2;
        Some((self.quoted.get(first.checked_sub(1)?)?, self.quoted.last()?))
    }

    /// Returns the list of the types of a call's arguments, where overloads are concerned.
    pub fn argument_types(&self) -> Option<&'a str> {
        Some(self.text.rsplit_once("argument types are:")?.1)
    }

    /// Returns the types on which an operator is not defined.
    pub fn operand_types(&self) -> Option<&'a str> {
        Some(self.text.rsplit_once("operand types are:")?.1)
    }

    /// Returns the size and the parent of a tile among the types.
    pub fn tile(&self) -> Option<(&'a str, &'a str)> {
        self.text.split_once("thread_block_tile<")?.1.split_once("U, ")
    }

    /// Returns the file with the declaration that the message refers to, empty for the one that is compiled; `None`
    /// where no place is named.
    pub fn declared_in(&self) -> Option<&'a str> {
        let place = self.text.rsplit_once("(declared at line ")?.1.split(')').next()?;
        Some(place.split_once(" of ").map_or("", |(_, file)| file))
    }

    /// Returns the library in a header of which the error is, rather than in the program's own text.
    pub fn library(&self) -> Option<HeaderLibrary> {
        use HeaderLibrary::*;
        let within = self.text.rsplit_once(WITHIN)?.1;
        let folder = within.split_once('/')?.0;
        [("cub", Cub), ("thrust", Thrust), ("cuda", Cuda)]
            .into_iter()
            .find_map(|(its, library)| (its == folder).then_some(library))
    }
}

/// Precedes the header's name and the line, where an error in a header is reported where it was used.
pub(super) const WITHIN: &str = " (in ";

/// Returns the name in a message about a header that cannot be opened, and the message up to the end of that name.
pub fn missing_header(message: &str) -> Option<(&str, &str)> {
    let begin = message.split_once("open source file \"")?.1;
    let (name, behind) = begin.split_once('"')?;
    Some((name, &message[..message.len() - behind.len()]))
}

/// Returns a message about a header without a remark on folders, of which there are none.
pub(super) fn without_search_list(message: &str) -> &str {
    message.strip_suffix(" (no directories in search list)").unwrap_or(message)
}

/// Returns whether a log says that the compiler had too little memory.
#[cfg(target_os = "linux")]
pub(crate) fn says_out_of_memory(log: &[u8]) -> bool {
    String::from_utf8_lossy(log).contains("out of memory")
}

/// Returns whether a log says that the compiler itself failed, as when it cannot write its files: with a capital and
/// without a line.
#[cfg(target_os = "linux")]
pub(crate) fn says_compiler_failed(log: &[u8]) -> bool {
    String::from_utf8_lossy(log).contains("Catastrophic error")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_precise_row_comes_first() {
        for (message, kind) in [
            ("expected a \";\"", MessageKind::Expected(Expected::Semicolon)),
            ("expected an expression", MessageKind::Expected(Expected::Other)),
            ("identifier \"x\" is undefined", MessageKind::UndefinedName),
            ("namespace \"std\" has no member \"cout\"", MessageKind::NoMemberOfNamespace),
            ("class \"dim3\" has no member \"w\"", MessageKind::NoMember),
            (
                "a value of type \"int\" cannot be assigned to an entity of type \"int *\"",
                MessageKind::WrongAssignment,
            ),
            ("", MessageKind::Other),
        ] {
            assert_eq!(MessageKind::of(message), kind, "{message}");
        }
        let (name, head) = missing_header("cannot open source file \"a.h\": it is not here").unwrap();
        assert_eq!((name, head), ("a.h", "cannot open source file \"a.h\""));
        assert_eq!(missing_header("cannot open it"), None);
    }
}
