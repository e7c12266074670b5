/**
 * Steps of all worlds of this process, where a thread that watches it can see them: it loops within one step
 * when it is busy and this does not change.
 */
export const progress = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
