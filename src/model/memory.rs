//! What an agent remembers: all of it in a snapshot and in the reference, and in shaders only the words that a scene uses.

use super::{CompiledScene, Memory};
use crate::scene::{BehaviorSpec, Condition, behavior_file::struct_name};

/// Words of [`Memory`].
const WORDS: usize = size_of::<Memory>() / 4;

/// A part of [`Memory`] that a scene uses: a member of it, or the memory of one behavior.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// The name of the member, or of the behavior's memory struct.
    pub name: String,
    /// The words of [`Memory`] that shaders store of it. In a planar world the z of a vector is not stored, because it is 0.
    pub words: Vec<usize>,
}

impl CompiledScene {
    /// What shaders remember of an agent, in the order in which they store it. What pictures show comes first.
    pub fn remembered(&self) -> Vec<Remembered> {
        // A memory in which each word is its own index.
        let places: [u32; WORDS] = std::array::from_fn(|word| word as u32);
        let places: Memory = bytemuck::pod_read_unaligned(bytemuck::cast_slice(&places));
        let vector = |words: [f32; 3]| words.map(f32::to_bits)[..self.components()].to_vec();
        let uses = &self.features;
        let members = [
            ("state", uses.selects_actions, vec![places.state]),
            ("winner", uses.prioritizes, vec![places.winner]),
            ("since", uses.selects_actions, vec![places.since]),
            ("load", self.carries(), vec![places.load]),
            ("held", uses.holds, vector(places.held)),
            ("perceived", uses.skips, vec![places.perceived]),
            ("turning", uses.turns, places.behaviors.turning.map(f32::to_bits).to_vec()),
        ];
        let common = members.into_iter().filter(|(_, used, _)| *used).map(|(name, _, words)| (name.to_owned(), words));
        let remembering = self.active_behaviors.iter().filter(|spec| spec.remembers());
        let of_behaviors = remembering.map(|spec| {
            let words = match self.own_memory(spec) {
                Some(own) => places.behaviors.own[own][..spec.memory_words()].to_vec(),
                None => self.without_z(spec, places.behaviors.words(spec.name)),
            };
            (struct_name(spec.name) + "Memory", words)
        });
        let place = |(name, words): (String, Vec<u32>)| Remembered {
            name,
            words: words.into_iter().map(|word| word as usize).collect(),
        };
        common.chain(of_behaviors).map(place).collect()
    }

    /// Can an agent have a load, or does a rule depend on one?
    fn carries(&self) -> bool {
        let asks = |own: &super::Species| {
            let rules = &own.actions[..own.transition_count as usize];
            rules.iter().any(|rule| rule.when == Condition::LoadAbove as u32)
        };
        self.features.forages || self.species.iter().any(asks)
    }

    /// The memory words of a behavior, without the z of vectors in a planar world.
    fn without_z(&self, spec: &BehaviorSpec, words: &[u32]) -> Vec<u32> {
        let (mut rest, mut stored) = (words, Vec::new());
        for member in spec.memory() {
            let (own, others) = rest.split_at(member.words);
            stored.extend_from_slice(&own[..own.len().min(self.components())]);
            rest = others;
        }
        stored
    }

    fn remembered_words(&self) -> Vec<usize> {
        self.remembered().into_iter().flat_map(|part| part.words).collect()
    }

    /// Words that an agent's memory has in the shaders.
    pub fn memory_size(&self) -> usize {
        self.remembered_words().len()
    }

    /// Index of the first word of a member in an agent's memory in the shaders; `None` if the scene does not use the member.
    pub fn memory_place(&self, member: &str) -> Option<usize> {
        let all = self.remembered();
        let index = all.iter().position(|part| part.name == member)?;
        Some(all[..index].iter().map(|part| part.words.len()).sum())
    }

    /// The words that shaders store of these memories.
    pub fn memory_words(&self, memories: &[Memory]) -> Vec<u32> {
        let (all, places): (&[u32], _) = (bytemuck::cast_slice(memories), self.remembered_words());
        all.chunks_exact(WORDS).flat_map(|memory| places.iter().map(|place| memory[*place])).collect()
    }

    /// The memories that these words of the shaders stand for; words that shaders do not store are 0.
    pub fn memories(&self, words: &[u32]) -> Vec<Memory> {
        let places = self.remembered_words();
        let memory = |words: &[u32]| {
            let mut memory = [0; WORDS];
            places.iter().zip(words).for_each(|(place, word)| memory[*place] = *word);
            bytemuck::pod_read_unaligned(bytemuck::cast_slice(&memory))
        };
        words.chunks_exact(places.len().max(1)).map(memory).collect()
    }
}
