//! The opcodes of pickle protocols 0 to 5 and the length of their fixed part.

macro_rules! opcodes {
    ($($name:ident = $byte:literal, $operand:literal;)*) => {
        $(pub const $name: u8 = $byte;)*

        /// Bytes of an opcode and its fixed operand; what follows has its length in the operand, or
        /// ends with the line. 0 for a byte that is no opcode.
        pub const FIXED: [u8; 256] = {
            let mut table = [0; 256];
            $(table[$byte as usize] = 1 + $operand;)*
            table
        };
    };
}

opcodes! {
    MARK = b'(', 0;
    STOP = b'.', 0;
    POP = b'0', 0;
    POP_MARK = b'1', 0;
    DUP = b'2', 0;
    FLOAT = b'F', 0;
    INT = b'I', 0;
    BININT = b'J', 4;
    BININT1 = b'K', 1;
    LONG = b'L', 0;
    BININT2 = b'M', 2;
    NONE = b'N', 0;
    PERSID = b'P', 0;
    BINPERSID = b'Q', 0;
    REDUCE = b'R', 0;
    STRING = b'S', 0;
    BINSTRING = b'T', 4;
    SHORT_BINSTRING = b'U', 1;
    UNICODE = b'V', 0;
    BINUNICODE = b'X', 4;
    APPEND = b'a', 0;
    BUILD = b'b', 0;
    GLOBAL = b'c', 0;
    DICT = b'd', 0;
    EMPTY_DICT = b'}', 0;
    APPENDS = b'e', 0;
    GET = b'g', 0;
    BINGET = b'h', 1;
    INST = b'i', 0;
    LONG_BINGET = b'j', 4;
    LIST = b'l', 0;
    EMPTY_LIST = b']', 0;
    OBJ = b'o', 0;
    PUT = b'p', 0;
    BINPUT = b'q', 1;
    LONG_BINPUT = b'r', 4;
    SETITEM = b's', 0;
    TUPLE = b't', 0;
    EMPTY_TUPLE = b')', 0;
    SETITEMS = b'u', 0;
    BINFLOAT = b'G', 8;
    PROTO = 0x80, 1;
    NEWOBJ = 0x81, 0;
    EXT1 = 0x82, 1;
    EXT2 = 0x83, 2;
    EXT4 = 0x84, 4;
    TUPLE1 = 0x85, 0;
    TUPLE2 = 0x86, 0;
    TUPLE3 = 0x87, 0;
    NEWTRUE = 0x88, 0;
    NEWFALSE = 0x89, 0;
    LONG1 = 0x8a, 1;
    LONG4 = 0x8b, 4;
    BINBYTES = b'B', 4;
    SHORT_BINBYTES = b'C', 1;
    SHORT_BINUNICODE = 0x8c, 1;
    BINUNICODE8 = 0x8d, 8;
    BINBYTES8 = 0x8e, 8;
    EMPTY_SET = 0x8f, 0;
    ADDITEMS = 0x90, 0;
    FROZENSET = 0x91, 0;
    NEWOBJ_EX = 0x92, 0;
    STACK_GLOBAL = 0x93, 0;
    MEMOIZE = 0x94, 0;
    FRAME = 0x95, 8;
    BYTEARRAY8 = 0x96, 8;
    NEXT_BUFFER = 0x97, 0;
    READONLY_BUFFER = 0x98, 0;
}
