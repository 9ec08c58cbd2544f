/** Plain prose in two parts, of which the second does not repeat the first; written for this bench, and never changed. */
export const PROSE = {
  first: `The company came down from the hills on a grey Thursday, nine wagons in a row, and the children of the village ran
beside the wheels until the mud took their shoes. Nobody had sent for them. The last players to visit had left eleven years
before, after the fire in the granary, and the old people still argued whether it had been a lantern or a pipe. By noon the
square smelled of wet canvas and onions. A tall woman with a drum under her arm walked from door to door and asked what each
household could spare: planks, straw, a barrel, two hours of somebody's patience. She wrote nothing down and forgot nothing.
When the baker offered flour that had seen better months, she thanked him warmly and asked for the empty sacks as well,
because a king needs a cloak, and from the tenth row burlap is as good as velvet. At dusk they hung seven lamps between the
lime trees. The mayor, who disliked surprises, sat in front with his hat on his knees and his speech in his pocket, and he
never read it. What they played that night was short and had no ending that anyone agreed upon. A ferryman falls asleep; the
river carries him past his own house; his wife, at the window, takes him for a stranger and wishes him luck.`,
  second: `Repairing an engine of that age is mostly listening. You stand in the cold hall before the first shift, lay a palm
against the cast iron, and wait for the pump to settle. Bearings complain long before they fail; steam finds every gasket that
was cut in a hurry. My teacher kept a notebook of noises, with small drawings in the margin, like a naturalist sketching
birds. He would hum a fault to me over the telephone and hang up without saying goodbye. It took five winters until I could
hum one back. Modern gauges have made us quicker and a little deaf, I think, though I would not part with mine. Last spring a
student brought a sensor no bigger than a coin and glued it beneath the flywheel, where none of us can reach. Within a week it
had drawn a curve of such regular teeth that we laughed aloud. There it was, page forty in the book: a chipped valve seat,
sketched as a limping heron, eighty years ahead of the instrument. We framed both and put them over the workbench. Visitors
ask which of them is older, and the apprentices have learned to answer that it depends on what you call an ear.`,
} as const;
