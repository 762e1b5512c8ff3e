//! NPY files with any header.

/// An NPY file with this type, order and shape, as they are written, and with this data.
pub fn npy(descr: &str, fortran_order: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran_order { "True" } else { "False" };
    with_header(&format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"), data)
}

/// Its bytes, version 1.
pub fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
    [b"\x93NUMPY\x01\x00".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
}
