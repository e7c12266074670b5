import { MemorySavedStates } from '../testing/MemorySavedStates.ts'
import { savedStateContract } from './savedStateContract.ts'

savedStateContract('the memory', {
  open: (bytesMax) => Promise.resolve(new MemorySavedStates(bytesMax)),
})
