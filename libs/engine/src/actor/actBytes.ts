/** Bytes that a turn keeps for the few small facts of work of the engine's own. */
export const actBytes = 2 * 1024
