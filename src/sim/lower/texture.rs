//! Texture fetches and accesses of surfaces. The texels are loaded and stored by memory operations, whose addresses
//! the instruction computes from the object and the coordinates.
//!
//! No image has more than one level here, so the level or the gradients of a fetch choose nothing.

use super::function::{FunctionLowering, Lowered};
use super::memory::plain_access;
use super::scope::file_of;
use super::widened_loads::is_unread;
use crate::code::{ImagePlace, SurfaceAccess, System, TextureFetch, add_to};
use crate::counts::Class;
use crate::image::{Boundary, ImageShape};
use crate::lanes::File;
use crate::memory::access::{Action, MAX_ELEMENTS, MemoryOp, Role, SINK, Space};
use ptx::{Instruction, Operand};

/// 32-bit words of the largest texel.
const WORDS: u32 = 4;

impl<'a> FunctionLowering<'_, 'a> {
    pub fn fetch_texture(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        self.count_as(Class::LoadGlobal);
        let [.., results, coordinates] = i.modifiers[..] else { return Err(String::new()) };
        let [Operand::Vector(channels), image, ..] = &i.operands[..] else {
            return Err("its operands".into());
        };
        let by_index = coordinates == "s32";
        if !matches!((results, coordinates), ("f32" | "s32" | "u32", "f32" | "s32")) || channels.len() != 4 {
            return Err(String::new());
        }
        let place = self.image_place(i, image)?;
        if by_index && place.shape != ImageShape::OneD {
            return Err(String::new());
        }
        let mut registers = [SINK; 4];
        for (register, channel) in registers.iter_mut().zip(channels) {
            if !is_unread(channel, &self.loads.unread_elements) {
                (*register, _) = self.destination(channel, File::R32)?;
            }
        }
        let words = self.allocate(File::R32, WORDS);
        let loads = [(1, 1), (2, 1), (4, 1), (4, 2), (4, 4)].map(|(bytes, count)| {
            let elements: Vec<u32> = (words..words + count).collect();
            self.image_access(Action::Load, place.at, (bytes, File::R32), &elements)
        });
        let fetch =
            TextureFetch { place, by_index, floats: results == "f32", channels: registers, loads, words };
        let number = add_to(&mut self.module.code.details.textures, fetch);
        self.system(System::Texture, 0, [0; 4], number);
        Ok(())
    }

    pub fn access_surface(&mut self, i: &Instruction<'a>) -> Lowered<()> {
        let (image, values, class) = match (i.opcode, &i.operands[..]) {
            ("suld", [values, image]) => (image, values, Class::LoadGlobal),
            ("sust", [image, values]) => (image, values, Class::StoreGlobal),
            _ => return Err("its operands".into()),
        };
        self.count_as(class);
        // `.p` converts between the format of the texels and that of the registers.
        let boundary = match i.modifiers.last() {
            Some(&"trap") => Boundary::Trap,
            Some(&"clamp") => Boundary::Clamp,
            Some(&"zero") => Boundary::Zero,
            _ => return Err(String::new()),
        };
        if !i.has("b") {
            return Err(String::new());
        }
        let ty = i.modifiers.iter().rev().find_map(|m| ptx::Type::named(m)).ok_or("its type")?;
        let place = self.image_place(i, image)?;
        let values = Self::elements(values);
        let (action, file, registers) = if class == Class::LoadGlobal {
            let (file, registers) = self.targets(&values, ty.bytes())?;
            (Action::Load, file, registers)
        } else {
            let file = file_of(ty);
            let sources = values.iter().map(|value| self.source(value, file));
            (Action::Store, file, sources.collect::<Lowered<Vec<u32>>>()?)
        };
        if registers.len() > MAX_ELEMENTS || ty.bytes() > 8 {
            return Err("its vector".into());
        }
        let access = self.image_access(action, place.at, (ty.bytes() as u8, file), &registers);
        let surface = SurfaceAccess { place, boundary, access };
        let number = add_to(&mut self.module.code.details.surfaces, surface);
        self.system(System::Surface, 0, [0; 4], number);
        Ok(())
    }

    /// Adds a memory operation that accesses a texel, and returns its number.
    fn image_access(&mut self, action: Action, base: u32, width: (u8, File), elements: &[u32]) -> u32 {
        let plain = plain_access(action, (Space::Global, base, 0), width, elements);
        let role = Role { image: true, ..Role::default() };
        add_to(&mut self.module.code.details.memory, MemoryOp { role, ..plain })
    }

    /// Returns where an instruction accesses an image, by its operand `[object, {x, y}]`. A layer comes before the
    /// coordinates; what follows them is padding.
    fn image_place(&mut self, i: &Instruction<'a>, operand: &Operand<'a>) -> Lowered<ImagePlace> {
        let shape = i.modifiers.iter().find_map(|m| ImageShape::named(m)).ok_or(String::new())?;
        let Operand::TensorAddress { base, coordinates } = operand else { return Err("its operands".into()) };
        let object = self.source(&Operand::Name(base), File::R64)?;
        let (layer, coordinates) = match &coordinates[..] {
            [layer, coordinates @ ..] if shape.is_layered() => {
                (Some(self.source(layer, File::R32)?), coordinates)
            }
            coordinates => (None, coordinates),
        };
        let dimensions = shape.dimensions();
        let given = coordinates.get(..dimensions).ok_or("its coordinates")?;
        let mut registers = [SINK; 3];
        for (register, coordinate) in registers.iter_mut().zip(given) {
            *register = self.source(coordinate, File::R32)?;
        }
        let at = self.allocate(File::R64, 1);
        Ok(ImagePlace { shape, object, coordinates: registers, layer, at })
    }
}
