import { describeDamage } from './describeDamage.ts'

describeDamage('garbage')
