// Between two lessons' files in one program: what each of them defines for itself.
#undef THREADS
#undef WARPS
#undef TILE
#undef SMALL
#undef STEP
#undef PAD
#undef EACH
#undef ALL
#undef OWN
#undef NOTHING
#undef AT_ONCE
#undef LOWEST
#undef EPSILON
#undef ALL_LANES
#undef ROWS
#undef MOST
#undef PIECE
