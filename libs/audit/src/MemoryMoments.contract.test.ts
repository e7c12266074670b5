import { momentStoreContract } from './contract.ts'
import { MemoryMoments } from './MemoryMoments.ts'

momentStoreContract('the memory', {
  open: (bytesMax) => Promise.resolve(new MemoryMoments(bytesMax)),
})
