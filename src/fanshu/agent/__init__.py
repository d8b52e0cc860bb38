"""②③④ Tools, loop and answer: a language model looks things up; code keeps it honest."""
